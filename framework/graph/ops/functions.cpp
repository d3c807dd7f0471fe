// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/functions.h"

#include <fmt/format.h>

#include "aclgrad/format.h"
#include "aclnnop/aclnn_abs.h"
#include "aclnnop/aclnn_cos.h"
#include "aclnnop/aclnn_erf.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_leaky_relu.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "aclnnop/aclnn_log.h"
#include "aclnnop/aclnn_neg.h"
#include "aclnnop/aclnn_reciprocal.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_rsqrt.h"
#include "aclnnop/aclnn_sigmoid.h"
#include "aclnnop/aclnn_sigmoid_backward.h"
#include "aclnnop/aclnn_sign.h"
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "aclnnop/aclnn_sin.h"
#include "aclnnop/aclnn_softplus.h"
#include "aclnnop/aclnn_softplus_backward.h"
#include "aclnnop/aclnn_sqrt.h"
#include "aclnnop/aclnn_tanh.h"
#include "aclnnop/aclnn_tanh_backward.h"
#include "aclnnop/aclnn_threshold_backward.h"
#include "graph/ops/families.h"

namespace aclgrad {
namespace {

void check_softplus(const Recorder& record, double beta, double threshold) {
  if (beta == 0) record.value_error("beta must not be 0");
  record.require_holds_as_float(record.input(0).dtype(), beta, "beta");
  record.require_holds_as_float(record.input(0).dtype(), threshold, "threshold");
}

}  // namespace

ACLGRAD_RECORD_UNARY(exp, aclnnExp)
ACLGRAD_RECORD_UNARY(log, aclnnLog)
ACLGRAD_RECORD_UNARY(sqrt, aclnnSqrt)
ACLGRAD_RECORD_UNARY(rsqrt, aclnnRsqrt)
ACLGRAD_RECORD_UNARY(reciprocal, aclnnReciprocal)
ACLGRAD_RECORD_UNARY(sin, aclnnSin)
ACLGRAD_RECORD_UNARY(cos, aclnnCos)
ACLGRAD_RECORD_UNARY(erf, aclnnErf)
ACLGRAD_RECORD_UNARY(abs, aclnnAbs)
ACLGRAD_RECORD_UNARY(sign, aclnnSign)
ACLGRAD_RECORD_UNARY(tanh, aclnnTanh)
ACLGRAD_RECORD_UNARY(sigmoid, aclnnSigmoid)
ACLGRAD_RECORD_UNARY(relu, aclnnRelu)
ACLGRAD_RECORD_UNARY(silu, aclnnSilu)

Value neg(const Value& x, std::source_location where) {
  Recorder record("neg", {x}, where);
  const DType dtype = x.dtype();
  const bool counts = dtype == DType::int8 || dtype == DType::int32 || dtype == DType::int64;
  if (!counts) record.require_floating(0);
  return record.add<NegOp>({}, record.like(0));
}

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

ACLGRAD_CALL(neg, aclnnNeg, elementwise)
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
