// SPDX-License-Identifier: Apache-2.0
// Activations that are one formula, or a gate, with their gradients.

#include <cmath>

#include "aclgrad/ops/activation.h"
#include "aclnnop/aclnn_celu.h"
#include "aclnnop/aclnn_fast_gelu.h"
#include "aclnnop/aclnn_fast_gelu_backward.h"
#include "aclnnop/aclnn_glu.h"
#include "aclnnop/aclnn_glu_backward.h"
#include "aclnnop/aclnn_hardshrink.h"
#include "aclnnop/aclnn_hardshrink_backward.h"
#include "aclnnop/aclnn_hardsigmoid.h"
#include "aclnnop/aclnn_hardsigmoid_backward.h"
#include "aclnnop/aclnn_hardtanh.h"
#include "aclnnop/aclnn_hardtanh_backward.h"
#include "aclnnop/aclnn_log_sigmoid.h"
#include "aclnnop/aclnn_log_sigmoid_backward.h"
#include "aclnnop/aclnn_logit.h"
#include "aclnnop/aclnn_logit_grad.h"
#include "aclnnop/aclnn_mish.h"
#include "aclnnop/aclnn_mish_backward.h"
#include "aclnnop/aclnn_prelu.h"
#include "aclnnop/aclnn_prelu_backward.h"
#include "aclnnop/aclnn_softshrink.h"
#include "aclnnop/aclnn_softshrink_backward.h"
#include "aclnnop/aclnn_swi_glu.h"
#include "aclnnop/aclnn_swi_glu_grad.h"
#include "aclnnop/aclnn_threshold.h"
#include "graph/ops/record_helpers.h"

namespace aclgrad {
namespace {

void check_bounds(const Recorder& record, const Value& x, const HardtanhAttributes& values) {
  record.require_holds_as_float(x.dtype(), values.min, "min");
  record.require_holds_as_float(x.dtype(), values.max, "max");
  record.require_value(values.min <= values.max, "min must not be above max, got {} and {}",
                       values.min, values.max);
}
void check_lambda(const Recorder& record, const Value& x, const ShrinkAttributes& values) {
  detail::require_number(record, values.lambda, "lambda");
  record.require_holds_as_float(x.dtype(), values.lambda, "lambda");
}
void check_threshold_and_value(const Recorder& record, const Value& x,
                               const ThresholdValueAttributes& values) {
  detail::require_number(record, values.threshold, "threshold");
  record.require_holds_as_float(x.dtype(), values.threshold, "threshold");
  record.require_holds_as_float(x.dtype(), values.value, "value");
}
void check_alpha(const Recorder& record, const Value& x, const CeluAttributes& values) {
  record.require_holds_as_float(x.dtype(), values.alpha, "alpha");
  record.require_value(std::isfinite(values.alpha) && values.alpha != 0,
                       "alpha must be finite and not 0, got {}", values.alpha);
}
void check_eps(const Recorder& record, const Value& /*x*/, const LogitAttributes& values) {
  record.require_value(values.eps <= 0.5,
                       "eps must be at most 0.5, or negative for no bounds, got {}", values.eps);
}

template <class OpType>
Value gate(Operand x, std::int64_t dim) {
  Recorder record(OpType::declaration().name, {x}, x.where);
  record.require_floating(0);
  return record.add<OpType>({dim}, {detail::halved(record, x.shape(), dim), x.dtype()});
}
template <class OpType>
Value gate_gradient(Operand grad, const Value& x, std::int64_t dim) {
  Recorder record(OpType::declaration().name, {grad, x}, grad.where);
  record.require_floating(1);
  record.require_same_dtype(0, 1);
  detail::require_half(record, grad, x, dim);
  return record.add<OpType>({dim}, record.like(1));
}

void check_prelu(const Recorder& record, std::size_t x, std::size_t weight) {
  record.require_floating(x);
  record.require_same_dtype(x, weight);
  const Shape& shape = record.input(x).shape();
  const std::int64_t channels = shape.rank() > 1 ? shape[1] : 1;
  const Shape& given = record.input(weight).shape();
  record.require_shape(given == Shape{1} || given == Shape{channels},
                       "the weight must have shape [1] or [{}], axis 1 of {}, got {}", channels,
                       shape, given);
}

}  // namespace

Value mish(Operand x) { return unary<MishOp>(x); }
Value hardsigmoid(Operand x) { return unary<HardsigmoidOp>(x); }
Value fast_gelu(Operand x) { return unary<FastGeluOp>(x); }
Value log_sigmoid(Operand x) { return unary<LogSigmoidOp>(x); }
Value logit(Operand x, double eps) { return unary<LogitOp>(x, {eps}, check_eps); }
Value hardtanh(Operand x, double min, double max) {
  return unary<HardtanhOp>(x, {min, max}, check_bounds);
}
Value hardshrink(Operand x, double lambda) {
  return unary<HardshrinkOp>(x, {lambda}, check_lambda);
}
Value softshrink(Operand x, double lambda) {
  Recorder("softshrink", {x}, x.where)
      .require_value(lambda >= 0, "lambda must not be negative, got {}", lambda);
  return unary<SoftshrinkOp>(x, {lambda}, check_lambda);
}
Value threshold(Operand x, double threshold, double value) {
  return unary<ThresholdOp>(x, {threshold, value}, check_threshold_and_value);
}
Value celu(Operand x, double alpha) { return unary<CeluOp>(x, {alpha}, check_alpha); }
Value glu(Operand x, std::int64_t dim) { return gate<GluOp>(x, dim); }
Value swiglu(Operand x, std::int64_t dim) { return gate<SwigluOp>(x, dim); }
Value prelu(Operand x, const Value& weight) {
  Recorder record("prelu", {x, weight}, x.where);
  check_prelu(record, 0, 1);
  return record.add<PreluOp>({}, record.like(0));
}

Value mish_backward(Operand g, const Value& x) { return gradient<MishBackwardOp>(g, x); }
Value hardsigmoid_backward(Operand g, const Value& x) {
  return gradient<HardsigmoidBackwardOp>(g, x);
}
Value fast_gelu_backward(Operand g, const Value& x) { return gradient<FastGeluBackwardOp>(g, x); }
Value log_sigmoid_backward(Operand g, const Value& x) {
  return gradient<LogSigmoidBackwardOp>(g, x);
}
Value logit_backward(Operand g, const Value& x, double eps) {
  return gradient<LogitBackwardOp>(g, x, {eps}, check_eps);
}
Value hardtanh_backward(Operand g, const Value& x, double min, double max) {
  return gradient<HardtanhBackwardOp>(g, x, {min, max}, check_bounds);
}
Value hardshrink_backward(Operand g, const Value& x, double lambda) {
  return gradient<HardshrinkBackwardOp>(g, x, {lambda}, check_lambda);
}
Value softshrink_backward(Operand g, const Value& x, double lambda) {
  return gradient<SoftshrinkBackwardOp>(g, x, {lambda}, check_lambda);
}
Value glu_backward(Operand g, const Value& x, std::int64_t dim) {
  return gate_gradient<GluBackwardOp>(g, x, dim);
}
Value swiglu_backward(Operand g, const Value& x, std::int64_t dim) {
  return gate_gradient<SwigluBackwardOp>(g, x, dim);
}
std::array<Value, 2> prelu_backward(Operand grad, const Value& x, const Value& weight) {
  Recorder record("prelu_backward", {grad, x, weight}, grad.where);
  record.require_like(0, 1);
  check_prelu(record, 1, 2);
  const std::vector<Value> made =
      record.add<PreluBackwardOp>({}, std::vector{record.like(1), record.like(2)});
  return {made[0], made[1]};
}

namespace calls {

const Declaration<> mish = {"mish", ACLGRAD_C(aclnnMish), elementwise, is_activation};
const Declaration<> mish_backward = {"mish_backward", ACLGRAD_C(aclnnMishBackward), elementwise};
const Declaration<> hardsigmoid = {"hardsigmoid", ACLGRAD_C(aclnnHardsigmoid), elementwise,
                                   is_activation};
const Declaration<> hardsigmoid_backward = {"hardsigmoid_backward",
                                            ACLGRAD_C(aclnnHardsigmoidBackward), elementwise};
const Declaration<> fast_gelu = {"fast_gelu", ACLGRAD_C(aclnnFastGelu), elementwise, is_activation};
const Declaration<> fast_gelu_backward = {"fast_gelu_backward", ACLGRAD_C(aclnnFastGeluBackward),
                                          elementwise};
const Declaration<HardtanhAttributes> hardtanh = {"hardtanh", ACLGRAD_C(aclnnHardtanh), elementwise,
                                                  is_activation};
const Declaration<HardtanhAttributes> hardtanh_backward = {
    "hardtanh_backward", ACLGRAD_C(aclnnHardtanhBackward), elementwise};
const Declaration<ShrinkAttributes> hardshrink = {"hardshrink", ACLGRAD_C(aclnnHardshrink),
                                                  elementwise, is_activation};
const Declaration<ShrinkAttributes> hardshrink_backward = {
    "hardshrink_backward", ACLGRAD_C(aclnnHardshrinkBackward), elementwise};
const Declaration<ShrinkAttributes> softshrink = {"softshrink", ACLGRAD_C(aclnnSoftshrink),
                                                  elementwise, is_activation};
const Declaration<ShrinkAttributes> softshrink_backward = {
    "softshrink_backward", ACLGRAD_C(aclnnSoftshrinkBackward), elementwise};
const Declaration<ThresholdValueAttributes> threshold = {"threshold", ACLGRAD_C(aclnnThreshold),
                                                         elementwise, is_activation};
const Declaration<CeluAttributes> celu = {"celu", ACLGRAD_C(aclnnCelu), elementwise, is_activation};
const Declaration<> log_sigmoid = {"log_sigmoid", ACLGRAD_C(aclnnLogSigmoid), elementwise,
                                   is_activation};
// Nothing reads the buffer.
const Declaration<> log_sigmoid_backward = {
    "log_sigmoid_backward", ACLGRAD_C(aclnnLogSigmoidBackward), elementwise,
    [](const auto&, AclnnCall& call, auto... end) {
      return aclnnLogSigmoidBackwardGetWorkspaceSize(call.input(0), call.input(1), call.input(1),
                                                     call.output(0), end...);
    }};
const Declaration<LogitAttributes> logit = {"logit", ACLGRAD_C(aclnnLogit), elementwise,
                                            is_activation};
// x comes first here.
const Declaration<LogitAttributes> logit_backward = {
    "logit_backward", ACLGRAD_C(aclnnLogitGrad), elementwise,
    [](const auto& values, AclnnCall& call, auto... end) {
      return aclnnLogitGradGetWorkspaceSize(call.input(1), call.input(0), values.eps,
                                            call.output(0), end...);
    }};
const Declaration<DimAttributes> glu = {"glu", ACLGRAD_C(aclnnGlu), separate, is_activation};
const Declaration<DimAttributes> glu_backward = {"glu_backward", ACLGRAD_C(aclnnGluBackward),
                                                 separate};
const Declaration<DimAttributes> swiglu = {"swiglu", ACLGRAD_C(aclnnSwiGlu), separate,
                                           is_activation};
const Declaration<DimAttributes> swiglu_backward = {"swiglu_backward", ACLGRAD_C(aclnnSwiGluGrad),
                                                    separate};
const Declaration<> prelu = {"prelu", ACLGRAD_C(aclnnPrelu), separate, is_activation};
const Declaration<> prelu_backward = {"prelu_backward", ACLGRAD_C(aclnnPreluBackward), separate};

}  // namespace calls
}  // namespace aclgrad
