// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/activation.h"

#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "aclnnop/aclnn_gelu.h"
#include "aclnnop/aclnn_gelu_backward.h"
#include "aclnnop/aclnn_gelu_backward_v2.h"
#include "aclnnop/aclnn_gelu_v2.h"
#include "aclnnop/aclnn_hardswish.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_hardswish_backward_v2.h"
#include "aclnnop/aclnn_leaky_relu.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_selu.h"
#include "aclnnop/aclnn_selu_backward.h"
#include "aclnnop/aclnn_sigmoid.h"
#include "aclnnop/aclnn_sigmoid_backward.h"
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "aclnnop/aclnn_softplus.h"
#include "aclnnop/aclnn_softplus_backward.h"
#include "aclnnop/aclnn_tanh.h"
#include "aclnnop/aclnn_tanh_backward.h"
#include "aclnnop/aclnn_threshold_backward.h"
#include "graph/ops/record_helpers.h"

namespace aclgrad {
Value selu(Operand x) { return unary<SeluOp>(x); }
Value selu_backward(Operand g, const Value& saved) { return gradient<SeluBackwardOp>(g, saved); }

namespace {

void check_elu(const Recorder& record, const Value& x, const EluAttributes& elu) {
  record.require_holds_as_float(x.dtype(), elu.alpha, "alpha");
  record.require_holds_as_float(x.dtype(), elu.scale, "scale");
  record.require_holds_as_float(x.dtype(), elu.input_scale, "input_scale");
  const bool invertible = elu.alpha >= 0 && elu.scale > 0 && elu.input_scale > 0;
  record.require_value(elu.backward_from != BackwardFrom::result || invertible,
                       "the gradient from the result needs alpha >= 0, scale > 0 and input_scale > "
                       "0, got alpha={}, scale={}, input_scale={}; BackwardFrom::input takes any",
                       elu.alpha, elu.scale, elu.input_scale);
}

}  // namespace

Value elu(Operand x, double alpha, double scale, double input_scale, BackwardFrom backward_from) {
  return unary<EluOp>(x, {alpha, scale, input_scale, backward_from}, check_elu);
}

Value elu_backward(Operand grad, const Value& input_or_result, double alpha, double scale,
                   double input_scale, BackwardFrom backward_from) {
  return gradient<EluBackwardOp>(grad, input_or_result,
                                 {{alpha, scale, input_scale, backward_from}}, check_elu);
}

Value hardswish(Operand x) { return unary<HardswishOp>(x); }
Value hardswish_backward(Operand grad, const Value& x, CornerSlope corners) {
  return corners == CornerSlope::inside ? gradient<HardswishBackwardOp>(grad, x)
                                        : gradient<HardswishBackwardV2Op>(grad, x);
}

const char* to_string(Approximate approximate) {
  return approximate == Approximate::none ? "none" : "tanh";
}

// The tanh form has C functions of its own.
Value gelu(Operand x, Approximate approximate) {
  return approximate == Approximate::tanh ? unary<GeluTanhOp>(x) : unary<GeluOp>(x, {approximate});
}
Value gelu_backward(Operand grad, const Value& x, Approximate approximate) {
  return approximate == Approximate::tanh ? gradient<GeluTanhBackwardOp>(grad, x)
                                          : gradient<GeluBackwardOp>(grad, x, {approximate});
}

Value geglu(Operand x, std::int64_t dim, Approximate approximate, bool activate_left) {
  Recorder record("geglu", {x}, x.where);
  record.require_floating(0);
  const TensorSpec half{detail::halved(record, x.shape(), dim), x.dtype()};
  return record.add<GegluOp>({dim, approximate, activate_left}, {half, half}).front();
}

Value geglu_backward(Operand grad, const Value& x, const Value& gelu, std::int64_t dim,
                     Approximate approximate, bool activate_left) {
  Recorder record("geglu_backward", {grad, x, gelu}, grad.where);
  record.require_floating(1);
  record.require_same_dtype(0, 1);
  record.require_same_dtype(2, 1);
  record.require_same_shape(0, 2);
  detail::require_half(record, grad, x, dim);
  return record.add<GegluBackwardOp>({dim, approximate, activate_left}, record.like(1));
}

namespace calls {

const Declaration<EluAttributes> elu = {"elu", ACLGRAD_C(aclnnElu), elementwise, is_activation};
const Declaration<EluBackwardAttributes> elu_backward = {"elu_backward",
                                                         ACLGRAD_C(aclnnEluBackward), elementwise};
const Declaration<> hardswish = {"hardswish", ACLGRAD_C(aclnnHardswish), elementwise,
                                 is_activation};
const Declaration<> hardswish_backward = {"hardswish_backward", ACLGRAD_C(aclnnHardswishBackward),
                                          elementwise};
const Declaration<> hardswish_backward_v2 = {"hardswish_backward",
                                             ACLGRAD_C(aclnnHardswishBackwardV2), elementwise};
const Declaration<GeluTanhAttributes> gelu_tanh = {"gelu", ACLGRAD_C(aclnnGelu), elementwise,
                                                   is_activation};
const Declaration<GeluTanhAttributes> gelu_tanh_backward = {
    "gelu_backward", ACLGRAD_C(aclnnGeluBackward), elementwise};
const Declaration<GeluAttributes> gelu = {"gelu", ACLGRAD_C(aclnnGeluV2), elementwise,
                                          is_activation};

const Declaration<GeluAttributes> gelu_backward = {
    "gelu_backward", ACLGRAD_C(aclnnGeluBackwardV2), elementwise,
    [](const auto& values, AclnnCall& call, auto... end) {
      // The C function takes a mutable string, which it does not change.
      std::string mode = to_string(values.approximate);
      return aclnnGeluBackwardV2GetWorkspaceSize(call.input(0), call.input(1), mode.data(),
                                                 call.output(0), end...);
    }};

const Declaration<GegluAttributes> geglu = {"geglu", ACLGRAD_C(aclnnGeGluV3), separate,
                                            is_activation};

// Each half of the gradient lies where the same half of x lay.
const Declaration<GegluAttributes> geglu_backward = {
    "geglu_backward", ACLGRAD_C(aclnnGeGluV3Backward),
    [](const GegluAttributes&, std::size_t, std::size_t input) {
      return input == 1 ? OutputMemory::may_be_shared : OutputMemory::separate;
    }};

}  // namespace calls

namespace {

void check_slope(const Recorder& record, const Value& x, const LeakyReluAttributes& values) {
  record.require_holds_as_float(x.dtype(), values.negative_slope, "negative_slope");
}
void check_threshold(const Recorder& record, const Value& x, const ThresholdAttributes& values) {
  detail::require_number(record, values.threshold, "threshold");
  record.require_holds_as_float(x.dtype(), values.threshold, "threshold");
}
void check_softplus(const Recorder& record, const Value& x, const SoftplusAttributes& values) {
  record.require_value(values.beta != 0, "beta must not be 0");
  record.require_holds_as_float(x.dtype(), values.beta, "beta");
  record.require_holds_as_float(x.dtype(), values.threshold, "threshold");
}

}  // namespace

Value tanh(Operand x) { return unary<TanhOp>(x); }
Value sigmoid(Operand x) { return unary<SigmoidOp>(x); }
Value relu(Operand x) { return unary<ReluOp>(x); }
Value silu(Operand x) { return unary<SiluOp>(x); }

Value leaky_relu(Operand x, double negative_slope) {
  return unary<LeakyReluOp>(x, {negative_slope}, check_slope);
}
Value softplus(Operand x, double beta, double threshold) {
  return unary<SoftplusOp>(x, {beta, threshold}, check_softplus);
}

Value tanh_backward(Operand g, const Value& saved) { return gradient<TanhBackwardOp>(g, saved); }
Value sigmoid_backward(Operand g, const Value& saved) {
  return gradient<SigmoidBackwardOp>(g, saved);
}
Value silu_backward(Operand g, const Value& saved) { return gradient<SiluBackwardOp>(g, saved); }
Value threshold_backward(Operand grad, const Value& x, double threshold) {
  return gradient<ThresholdBackwardOp>(grad, x, {threshold}, check_threshold);
}
Value leaky_relu_backward(Operand grad, const Value& x, double negative_slope) {
  return gradient<LeakyReluBackwardOp>(grad, x, {{negative_slope}}, check_slope);
}
Value softplus_backward(Operand grad, const Value& x, double beta, double threshold) {
  return gradient<SoftplusBackwardOp>(grad, x, {beta, threshold}, check_softplus);
}

namespace calls {

const Declaration<> selu = {"selu", ACLGRAD_C(aclnnSelu), elementwise, is_activation};
const Declaration<> selu_backward = {"selu_backward", ACLGRAD_C(aclnnSeluBackward), elementwise};
const Declaration<> tanh = {"tanh", ACLGRAD_C(aclnnTanh), elementwise, is_activation};
const Declaration<> sigmoid = {"sigmoid", ACLGRAD_C(aclnnSigmoid), elementwise, is_activation};
const Declaration<> relu = {"relu", ACLGRAD_C(aclnnRelu), elementwise, is_activation};
const Declaration<> silu = {"silu", ACLGRAD_C(aclnnSilu), elementwise, is_activation};
const Declaration<> tanh_backward = {"tanh_backward", ACLGRAD_C(aclnnTanhBackward), elementwise};
const Declaration<> sigmoid_backward = {"sigmoid_backward", ACLGRAD_C(aclnnSigmoidBackward),
                                        elementwise};
const Declaration<> silu_backward = {"silu_backward", ACLGRAD_C(aclnnSiluBackward), elementwise};
const Declaration<LeakyReluAttributes> leaky_relu = {"leaky_relu", ACLGRAD_C(aclnnLeakyRelu),
                                                     elementwise, is_activation};
const Declaration<SoftplusAttributes> softplus = {"softplus", ACLGRAD_C(aclnnSoftplus), elementwise,
                                                  is_activation};
const Declaration<ThresholdAttributes> threshold_backward = {
    "threshold_backward", ACLGRAD_C(aclnnThresholdBackward), elementwise};

const Declaration<LeakyReluBackwardAttributes> leaky_relu_backward = {
    "leaky_relu_backward", ACLGRAD_C(aclnnLeakyReluBackward), elementwise};

const Declaration<SoftplusAttributes> softplus_backward = {
    "softplus_backward", ACLGRAD_C(aclnnSoftplusBackward), elementwise};

}  // namespace calls
}  // namespace aclgrad
