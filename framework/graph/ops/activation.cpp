// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/activation.h"

#include <fmt/format.h>

#include "aclgrad/format.h"
#include "aclgrad/ops/arithmetic.h"
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
#include "graph/ops/families.h"

namespace aclgrad {
ACLGRAD_RECORD_UNARY(selu, aclnnSelu)
ACLGRAD_RECORD_GRADIENT(selu_backward, aclnnSeluBackward)

Value elu(const Value& x, double alpha, double scale, double input_scale,
          BackwardFrom backward_from, std::source_location where) {
  Recorder record("elu", {x}, where);
  record.require_floating(0);
  record.require_holds_as_float(x.dtype(), alpha, "alpha");
  record.require_holds_as_float(x.dtype(), scale, "scale");
  record.require_holds_as_float(x.dtype(), input_scale, "input_scale");
  const bool invertible = alpha >= 0 && scale > 0 && input_scale > 0;
  if (backward_from == BackwardFrom::result && !invertible) {
    record.value_error(
        fmt::format("the gradient from the result needs alpha >= 0, scale > 0 and input_scale > 0, "
                    "got alpha={}, scale={}, input_scale={}",
                    alpha, scale, input_scale));
  }
  return record.add<EluOp>({alpha, scale, input_scale, backward_from}, record.like(0));
}

Value elu_backward(const Value& grad, const Value& input_or_result, double alpha, double scale,
                   double input_scale, BackwardFrom backward_from, std::source_location where) {
  return detail::record_gradient<EluBackwardOp>(grad, input_or_result, where,
                                                {{alpha, scale, input_scale, backward_from}});
}

Value hardswish(const Value& x, HardswishGradient gradient, std::source_location where) {
  return detail::record_unary<HardswishOp>(x, where, {gradient});
}

Value hardswish_backward(const Value& grad, const Value& x, HardswishGradient gradient,
                         std::source_location where) {
  return gradient == HardswishGradient::v1
             ? detail::record_gradient<HardswishBackwardOp>(grad, x, where)
             : detail::record_gradient<HardswishBackwardV2Op>(grad, x, where);
}

const char* to_string(Approximate approximate) {
  return approximate == Approximate::none ? "none" : "tanh";
}

Value gelu(const Value& x, Approximate approximate, std::source_location where) {
  if (approximate == Approximate::none) return gelu_v2(x, approximate, where);
  return detail::record_unary<GeluOp>(x, where);
}

Value gelu_backward(const Value& grad, const Value& x, Approximate approximate,
                    std::source_location where) {
  if (approximate == Approximate::none) return gelu_v2_backward(grad, x, approximate, where);
  return detail::record_gradient<GeluBackwardOp>(grad, x, where);
}

Value gelu_v2(const Value& x, Approximate approximate, std::source_location where) {
  return detail::record_unary<GeluV2Op>(x, where, {approximate});
}

Value gelu_v2_backward(const Value& grad, const Value& x, Approximate approximate,
                       std::source_location where) {
  return detail::record_gradient<GeluV2BackwardOp>(grad, x, where, {approximate});
}

namespace {

// The shape with the extent along dim halved.
Shape halved(const Recorder& record, const Shape& shape, std::int64_t dim) {
  if (shape.rank() == 0) record.shape_error("a scalar has no axis to split");
  const auto axis = static_cast<std::size_t>(record.axis(dim, shape.rank()));
  std::vector<std::int64_t> dims = shape.dims();
  if (dims[axis] % 2 != 0) {
    const bool last = axis + 1 == dims.size();
    record.shape_error(fmt::format("{} must be even, got {}",
                                   last ? "last dimension" : fmt::format("dimension {}", axis),
                                   dims[axis]));
  }
  dims[axis] /= 2;
  return Shape(std::move(dims));
}

}  // namespace

Value geglu(const Value& x, std::int64_t dim, Approximate approximate, bool activate_left,
            std::source_location where) {
  Recorder record("geglu", {x}, where);
  record.require_floating(0);
  const TensorSpec half{halved(record, x.shape(), dim), x.dtype()};
  return record.add<GegluOp>({dim, approximate, activate_left}, {half, half}).front();
}

Value geglu_backward(const Value& grad, const Value& x, const Value& gelu, std::int64_t dim,
                     Approximate approximate, bool activate_left, std::source_location where) {
  Recorder record("geglu_backward", {grad, x, gelu}, where);
  record.require_floating(1);
  record.require_same_dtype(0, 1);
  record.require_same_dtype(2, 1);
  record.require_same_shape(0, 2);
  if (const Shape half = halved(record, x.shape(), dim); grad.shape() != half) {
    record.shape_error(fmt::format("the gradient must have shape {}, got {}", half, grad.shape()));
  }
  return record.add<GegluBackwardOp>({dim, approximate, activate_left}, record.like(1));
}

namespace calls {

ACLGRAD_CALL(elu, aclnnElu, elementwise, EluAttributes)
ACLGRAD_CALL(elu_backward, aclnnEluBackward, elementwise, EluBackwardAttributes)
ACLGRAD_CALL(hardswish, aclnnHardswish, elementwise, HardswishAttributes)
ACLGRAD_CALL(hardswish_backward, aclnnHardswishBackward, elementwise)
constexpr Declaration<> hardswish_backward_v2("hardswish_backward", "aclnnHardswishBackwardV2",
                                              aclnnHardswishBackwardV2, elementwise,
                                              in_order<aclnnHardswishBackwardV2GetWorkspaceSize>);
ACLGRAD_CALL(gelu, aclnnGelu, elementwise)
ACLGRAD_CALL(gelu_backward, aclnnGeluBackward, elementwise)
ACLGRAD_CALL(gelu_v2, aclnnGeluV2, elementwise, GeluAttributes)

constexpr Declaration<GeluAttributes> gelu_v2_backward(
    "gelu_v2_backward", "aclnnGeluBackwardV2", aclnnGeluBackwardV2, elementwise,
    [](const GeluAttributes& values, Call& call, auto... end) {
      // The C function takes a mutable string, which it does not change.
      std::string mode = to_string(values.approximate);
      return aclnnGeluBackwardV2GetWorkspaceSize(call.input(0), call.input(1), mode.data(),
                                                 call.output(0), end...);
    });

ACLGRAD_CALL(geglu, aclnnGeGluV3, separate, GegluAttributes)

// Each half of the gradient lies where the same half of x lay.
constexpr Declaration<GegluAttributes> geglu_backward(
    "geglu_backward", "aclnnGeGluV3Backward", aclnnGeGluV3Backward,
    [](const GegluAttributes&, std::size_t, std::size_t input) {
      return input == 1 ? OutputMemory::may_be_shared : OutputMemory::separate;
    },
    in_order<aclnnGeGluV3BackwardGetWorkspaceSize>);

}  // namespace calls

namespace {

void check_softplus(const Recorder& record, double beta, double threshold) {
  if (beta == 0) record.value_error("beta must not be 0");
  record.require_holds_as_float(record.input(0).dtype(), beta, "beta");
  record.require_holds_as_float(record.input(0).dtype(), threshold, "threshold");
}

}  // namespace

ACLGRAD_RECORD_UNARY(tanh, aclnnTanh)
ACLGRAD_RECORD_UNARY(sigmoid, aclnnSigmoid)
ACLGRAD_RECORD_UNARY(relu, aclnnRelu)
ACLGRAD_RECORD_UNARY(silu, aclnnSilu)

Value leaky_relu(const Value& x, double negative_slope, std::source_location where) {
  Recorder("leaky_relu", {x}, where)
      .require_holds_as_float(x.dtype(), negative_slope, "negative_slope");
  return detail::record_unary<LeakyReluOp>(x, where, {negative_slope});
}

Value softplus(const Value& x, double beta, double threshold, std::source_location where) {
  check_softplus(Recorder("softplus", {x}, where), beta, threshold);
  return detail::record_unary<SoftplusOp>(x, where, {beta, threshold});
}

ACLGRAD_RECORD_GRADIENT(tanh_backward, aclnnTanhBackward)
ACLGRAD_RECORD_GRADIENT(sigmoid_backward, aclnnSigmoidBackward)
ACLGRAD_RECORD_GRADIENT(silu_backward, aclnnSiluBackward)

Value threshold_backward(const Value& grad, const Value& x, double threshold,
                         std::source_location where) {
  Recorder("threshold_backward", {grad, x}, where)
      .require_holds_as_float(x.dtype(), threshold, "threshold");
  return detail::record_gradient<ThresholdBackwardOp>(grad, x, where, {threshold});
}

Value leaky_relu_backward(const Value& grad, const Value& x, double negative_slope,
                          std::source_location where) {
  Recorder("leaky_relu_backward", {grad, x}, where)
      .require_holds_as_float(x.dtype(), negative_slope, "negative_slope");
  return detail::record_gradient<LeakyReluBackwardOp>(grad, x, where, {negative_slope});
}

Value softplus_backward(const Value& grad, const Value& x, double beta, double threshold,
                        std::source_location where) {
  check_softplus(Recorder("softplus_backward", {grad, x}, where), beta, threshold);
  return detail::record_gradient<SoftplusBackwardOp>(grad, x, where, {beta, threshold});
}

namespace calls {

ACLGRAD_CALL(leaky_relu, aclnnLeakyRelu, elementwise, LeakyReluAttributes)
ACLGRAD_CALL(softplus, aclnnSoftplus, elementwise, SoftplusAttributes)
ACLGRAD_CALL(threshold_backward, aclnnThresholdBackward, elementwise, ThresholdAttributes)

constexpr Declaration<LeakyReluAttributes> leaky_relu_backward(
    "leaky_relu_backward", "aclnnLeakyReluBackward", aclnnLeakyReluBackward, elementwise,
    [](const LeakyReluAttributes& values, Call& call, auto... end) {
      return aclnnLeakyReluBackwardGetWorkspaceSize(call.input(0), call.input(1),
                                                    call.scalar(values.negative_slope),
                                                    /*selfIsResult=*/false, call.output(0), end...);
    });

ACLGRAD_CALL(softplus_backward, aclnnSoftplusBackward, elementwise, SoftplusAttributes)

}  // namespace calls
}  // namespace aclgrad
