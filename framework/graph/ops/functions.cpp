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

void require_not_zero(const Recorder& record, double beta) {
  if (beta == 0) record.value_error("beta must not be 0");
}

}  // namespace

Value exp(const Value& x, std::source_location where) {
  return detail::record_unary<ExpOp>(x, where);
}
Value log(const Value& x, std::source_location where) {
  return detail::record_unary<LogOp>(x, where);
}
Value sqrt(const Value& x, std::source_location where) {
  return detail::record_unary<SqrtOp>(x, where);
}
Value rsqrt(const Value& x, std::source_location where) {
  return detail::record_unary<RsqrtOp>(x, where);
}
Value reciprocal(const Value& x, std::source_location where) {
  return detail::record_unary<ReciprocalOp>(x, where);
}
Value sin(const Value& x, std::source_location where) {
  return detail::record_unary<SinOp>(x, where);
}
Value cos(const Value& x, std::source_location where) {
  return detail::record_unary<CosOp>(x, where);
}
Value erf(const Value& x, std::source_location where) {
  return detail::record_unary<ErfOp>(x, where);
}
Value abs(const Value& x, std::source_location where) {
  return detail::record_unary<AbsOp>(x, where);
}
Value sign(const Value& x, std::source_location where) {
  return detail::record_unary<SignOp>(x, where);
}
Value tanh(const Value& x, std::source_location where) {
  return detail::record_unary<TanhOp>(x, where);
}
Value sigmoid(const Value& x, std::source_location where) {
  return detail::record_unary<SigmoidOp>(x, where);
}
Value relu(const Value& x, std::source_location where) {
  return detail::record_unary<ReluOp>(x, where);
}
Value silu(const Value& x, std::source_location where) {
  return detail::record_unary<SiluOp>(x, where);
}

Value neg(const Value& x, std::source_location where) {
  Recorder record("neg", {x}, where);
  const DType dtype = x.dtype();
  const bool counts = dtype == DType::int8 || dtype == DType::int32 || dtype == DType::int64;
  if (!counts) record.require_floating(0);
  return record.add<NegOp>({}, record.like(0));
}

Value leaky_relu(const Value& x, double negative_slope, std::source_location where) {
  return detail::record_unary<LeakyReluOp>(x, where, {negative_slope});
}

Value softplus(const Value& x, double beta, double threshold, std::source_location where) {
  require_not_zero(Recorder("softplus", {x}, where), beta);
  return detail::record_unary<SoftplusOp>(x, where, {beta, threshold});
}

Value tanh_backward(const Value& grad, const Value& result, std::source_location where) {
  return detail::record_gradient<TanhBackwardOp>(grad, result, where);
}

Value sigmoid_backward(const Value& grad, const Value& result, std::source_location where) {
  return detail::record_gradient<SigmoidBackwardOp>(grad, result, where);
}

Value silu_backward(const Value& grad, const Value& x, std::source_location where) {
  return detail::record_gradient<SiluBackwardOp>(grad, x, where);
}

Value threshold_backward(const Value& grad, const Value& x, double threshold,
                         std::source_location where) {
  return detail::record_gradient<ThresholdBackwardOp>(grad, x, where, {threshold});
}

Value leaky_relu_backward(const Value& grad, const Value& x, double negative_slope,
                          std::source_location where) {
  return detail::record_gradient<LeakyReluBackwardOp>(grad, x, where, {negative_slope});
}

Value softplus_backward(const Value& grad, const Value& x, double beta, double threshold,
                        std::source_location where) {
  require_not_zero(Recorder("softplus_backward", {grad, x}, where), beta);
  return detail::record_gradient<SoftplusBackwardOp>(grad, x, where, {beta, threshold});
}

namespace calls {

constexpr Declaration<> exp("exp", "aclnnExp", aclnnExp, elementwise,
                            in_order<aclnnExpGetWorkspaceSize>);
constexpr Declaration<> log("log", "aclnnLog", aclnnLog, elementwise,
                            in_order<aclnnLogGetWorkspaceSize>);
constexpr Declaration<> sqrt("sqrt", "aclnnSqrt", aclnnSqrt, elementwise,
                             in_order<aclnnSqrtGetWorkspaceSize>);
constexpr Declaration<> rsqrt("rsqrt", "aclnnRsqrt", aclnnRsqrt, elementwise,
                              in_order<aclnnRsqrtGetWorkspaceSize>);
constexpr Declaration<> reciprocal("reciprocal", "aclnnReciprocal", aclnnReciprocal, elementwise,
                                   in_order<aclnnReciprocalGetWorkspaceSize>);
constexpr Declaration<> sin("sin", "aclnnSin", aclnnSin, elementwise,
                            in_order<aclnnSinGetWorkspaceSize>);
constexpr Declaration<> cos("cos", "aclnnCos", aclnnCos, elementwise,
                            in_order<aclnnCosGetWorkspaceSize>);
constexpr Declaration<> erf("erf", "aclnnErf", aclnnErf, elementwise,
                            in_order<aclnnErfGetWorkspaceSize>);
constexpr Declaration<> neg("neg", "aclnnNeg", aclnnNeg, elementwise,
                            in_order<aclnnNegGetWorkspaceSize>);
constexpr Declaration<> abs("abs", "aclnnAbs", aclnnAbs, elementwise,
                            in_order<aclnnAbsGetWorkspaceSize>);
constexpr Declaration<> sign("sign", "aclnnSign", aclnnSign, elementwise,
                             in_order<aclnnSignGetWorkspaceSize>);
constexpr Declaration<> tanh("tanh", "aclnnTanh", aclnnTanh, elementwise,
                             in_order<aclnnTanhGetWorkspaceSize>);
constexpr Declaration<> sigmoid("sigmoid", "aclnnSigmoid", aclnnSigmoid, elementwise,
                                in_order<aclnnSigmoidGetWorkspaceSize>);
constexpr Declaration<> relu("relu", "aclnnRelu", aclnnRelu, elementwise,
                             in_order<aclnnReluGetWorkspaceSize>);
constexpr Declaration<> silu("silu", "aclnnSilu", aclnnSilu, elementwise,
                             in_order<aclnnSiluGetWorkspaceSize>);
constexpr Declaration<> tanh_backward("tanh_backward", "aclnnTanhBackward", aclnnTanhBackward,
                                      elementwise, in_order<aclnnTanhBackwardGetWorkspaceSize>);
constexpr Declaration<> sigmoid_backward("sigmoid_backward", "aclnnSigmoidBackward",
                                         aclnnSigmoidBackward, elementwise,
                                         in_order<aclnnSigmoidBackwardGetWorkspaceSize>);
constexpr Declaration<> silu_backward("silu_backward", "aclnnSiluBackward", aclnnSiluBackward,
                                      elementwise, in_order<aclnnSiluBackwardGetWorkspaceSize>);
constexpr Declaration<LeakyReluAttributes> leaky_relu("leaky_relu", "aclnnLeakyRelu",
                                                      aclnnLeakyRelu, elementwise,
                                                      in_order<aclnnLeakyReluGetWorkspaceSize>);
constexpr Declaration<SoftplusAttributes> softplus("softplus", "aclnnSoftplus", aclnnSoftplus,
                                                   elementwise,
                                                   in_order<aclnnSoftplusGetWorkspaceSize>);
constexpr Declaration<ThresholdAttributes> threshold_backward(
    "threshold_backward", "aclnnThresholdBackward", aclnnThresholdBackward, elementwise,
    in_order<aclnnThresholdBackwardGetWorkspaceSize>);

constexpr Declaration<LeakyReluAttributes> leaky_relu_backward(
    "leaky_relu_backward", "aclnnLeakyReluBackward", aclnnLeakyReluBackward, elementwise,
    [](const LeakyReluAttributes& values, Call& call, auto... end) {
      return aclnnLeakyReluBackwardGetWorkspaceSize(call.input(0), call.input(1),
                                                    call.scalar(values.negative_slope),
                                                    /*selfIsResult=*/false, call.output(0), end...);
    });

constexpr Declaration<SoftplusAttributes> softplus_backward(
    "softplus_backward", "aclnnSoftplusBackward", aclnnSoftplusBackward, elementwise,
    in_order<aclnnSoftplusBackwardGetWorkspaceSize>);

}  // namespace calls
}  // namespace aclgrad
