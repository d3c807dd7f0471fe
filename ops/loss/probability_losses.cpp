// SPDX-License-Identifier: Apache-2.0
// aclnnBinaryCrossEntropy, aclnnKlDiv, aclnnSoftMarginLoss and their backwards.
#include "aclnnop/aclnn_binary_cross_entropy.h"
#include "aclnnop/aclnn_binary_cross_entropy_backward.h"
#include "aclnnop/aclnn_kl_div.h"
#include "aclnnop/aclnn_kl_div_backward.h"
#include "aclnnop/aclnn_kl_div_target_backward.h"
#include "aclnnop/aclnn_soft_margin_loss.h"
#include "aclnnop/aclnn_soft_margin_loss_backward.h"
#include "ops/loss/loss_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/loss/probability_losses.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/formula-inl.h"
#include "ops/engine/math/exp-inl.h"
#include "ops/engine/math/log-inl.h"
#include "ops/engine/math/sigmoid-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

// Losses are computed in double, whatever the dtype.
template <size_t kInputs, class Formula>
RealKernel doubles(const Formula& formula) {
  return [formula](const double* const* in, double* const* out, size_t count)
             HWY_ATTR { map_block<kInputs>(in, out, count, formula); };
}

// A logarithm of a probability that is 0 counts -100. NaN stays.
template <class D, class V>
HWY_INLINE V at_least_minus_100(D d, V logarithm) {
  const V least = hn::Set(d, -100.0);
  return hn::IfThenElse(hn::Lt(logarithm, least), least, logarithm);
}

// Of self, target, weight.
RealKernel cross_entropy_of_probabilities() {
  return doubles<3>([](auto d, auto x, auto t, auto weight) HWY_ATTR {
    const auto of_one = at_least_minus_100(d, log(d, x));
    const auto of_zero = at_least_minus_100(d, log1p(d, hn::Neg(x)));
    const auto sum = hn::Add(hn::Mul(t, of_one), hn::Mul(hn::Sub(one(d), t), of_zero));
    return hn::Mul(hn::Neg(weight), sum);
  });
}

// Of gradOutput before these.
RealKernel cross_entropy_of_probabilities_gradient(double divisor) {
  return doubles<4>([divisor](auto d, auto g, auto x, auto t, auto weight) HWY_ATTR {
    const auto least = hn::Set(d, 1e-12);
    const auto variance = hn::Mul(x, hn::Sub(one(d), x));
    const auto below = hn::IfThenElse(hn::Lt(variance, least), least, variance);
    const auto slope = hn::Div(hn::Mul(weight, hn::Sub(x, t)), below);
    return hn::Div(hn::Mul(g, slope), hn::Set(d, divisor));
  });
}

// Of self, target: log(1 + e^(-t x)).
RealKernel soft_margin() {
  return doubles<2>([](auto d, auto x, auto t) HWY_ATTR {
    const auto z = hn::Neg(hn::Mul(t, x));
    const auto rest = log1p(d, exp(d, hn::Neg(hn::Abs(z))));
    return hn::Add(hn::IfThenZeroElse(hn::Lt(z, hn::Zero(d)), z), rest);
  });
}

// Of gradOutput before these.
RealKernel soft_margin_gradient(double divisor) {
  return doubles<3>([divisor](auto d, auto g, auto x, auto t) HWY_ATTR {
    const auto share = sigmoid(d, hn::Neg(hn::Mul(t, x)));
    return hn::Div(hn::Mul(hn::Neg(g), hn::Mul(t, share)), hn::Set(d, divisor));
  });
}

// Of self, target: t log(t) - t x, of which 0 log(0) is 0. A NaN or an infinity of self stays where
// the target is 0, as in PyTorch.
RealKernel divergence(bool log_target) {
  if (log_target) {
    return doubles<2>([](auto d, auto x, auto t)
                          HWY_ATTR { return hn::Mul(exp(d, t), hn::Sub(t, x)); });
  }
  return doubles<2>([](auto d, auto x, auto t) HWY_ATTR {
    const auto logarithm = hn::IfThenZeroElse(hn::Eq(t, hn::Zero(d)), log(d, t));
    return hn::Mul(t, hn::Sub(logarithm, x));
  });
}

// Of gradOutput, target.
RealKernel divergence_gradient(bool log_target, double divisor) {
  return doubles<2>([log_target, divisor](auto d, auto g, auto t) HWY_ATTR {
    const auto weight = log_target ? exp(d, t) : t;
    return hn::Div(hn::Mul(hn::Neg(weight), g), hn::Set(d, divisor));
  });
}

// Of gradOutput, self, target.
RealKernel divergence_gradient_by_target(bool log_target, double divisor) {
  return doubles<3>([log_target, divisor](auto d, auto g, auto x, auto t) HWY_ATTR {
    const auto share = hn::Div(g, hn::Set(d, divisor));
    if (log_target) {
      return hn::Mul(hn::Mul(share, exp(d, t)), hn::Add(hn::Sub(t, x), one(d)));
    }
    const auto slope = hn::Mul(share, hn::Add(hn::Sub(log(d, t), x), one(d)));
    return hn::IfThenZeroElse(hn::Eq(t, hn::Zero(d)), slope);
  });
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/loss/loss_reduction.h"

namespace aclgrad::ops {
namespace {

HWY_EXPORT(cross_entropy_of_probabilities);
HWY_EXPORT(cross_entropy_of_probabilities_gradient);
HWY_EXPORT(soft_margin);
HWY_EXPORT(soft_margin_gradient);
HWY_EXPORT(divergence);
HWY_EXPORT(divergence_gradient);
HWY_EXPORT(divergence_gradient_by_target);

namespace cross_entropy {

enum : size_t { kSelf, kTarget, kWeight, kReduction, kOut };

const OperatorSpec kSpec{
    "aclnnBinaryCrossEntropy",
    {input("self"), input("target"), input("weight"), attribute("reduction"), output("out")},
    Rules{not_null({kSelf, kTarget, kOut}), live_if_given(kWeight), dtype_in(kSelf, kRealFloats),
          same_dtype({kTarget, kWeight, kOut}, kSelf), loss_reduction_known(kReduction),
          max_rank({kSelf, kWeight, kOut}), same_shape(kTarget, kSelf),
          broadcasts_to(kWeight, kSelf), unless_reduced(kReduction, same_shape(kOut, kSelf)),
          if_reduced(kReduction, has_one_element(kOut))}};

Plan plan(const Arguments& arguments) {
  return plan_loss(arguments, kReduction, arguments.shape(kSelf),
                   {{kSelf, kTarget, where_given(arguments, kWeight)},
                    kOut,
                    arguments.dtype(kSelf),
                    HWY_DYNAMIC_DISPATCH(cross_entropy_of_probabilities)()});
}

}  // namespace cross_entropy

namespace cross_entropy_gradient {

enum : size_t { kGradOutput, kSelf, kTarget, kWeight, kReduction, kGradInput };

const OperatorSpec kSpec{
    "aclnnBinaryCrossEntropyBackward",
    {input("gradOutput"), input("self"), input("target"), input("weight"), attribute("reduction"),
     output("gradInput")},
    Rules{not_null({kGradOutput, kSelf, kTarget, kGradInput}), live_if_given(kWeight),
          dtype_in(kGradOutput, kRealFloats),
          same_dtype({kSelf, kTarget, kWeight, kGradInput}, kGradOutput),
          loss_reduction_known(kReduction), max_rank({kGradOutput, kSelf, kWeight}),
          same_shape(kTarget, kSelf), broadcasts_to({kWeight, kGradOutput}, kSelf),
          same_shape(kGradInput, kSelf)}};

Plan plan(const Arguments& arguments) {
  const int64_t count = count_elements(arguments.shape(kSelf));
  return plan_elements(arguments,
                       {{kGradOutput, kSelf, kTarget, where_given(arguments, kWeight)},
                        kGradInput,
                        arguments.dtype(kSelf),
                        HWY_DYNAMIC_DISPATCH(cross_entropy_of_probabilities_gradient)(
                            static_cast<double>(loss_divisor(arguments, kReduction, count)))});
}

}  // namespace cross_entropy_gradient

namespace margin {

enum : size_t { kSelf, kTarget, kReduction, kOut };

const OperatorSpec kSpec{"aclnnSoftMarginLoss",
                         {input("self"), input("target"), attribute("reduction"), output("out")},
                         Rules{not_null({kSelf, kTarget, kOut}), dtype_in(kSelf, kRealFloats),
                               same_dtype({kTarget, kOut}, kSelf), loss_reduction_known(kReduction),
                               max_rank({kSelf, kTarget, kOut}), broadcastable(kSelf, kTarget),
                               unless_reduced(kReduction, shape_is_broadcast(kOut, kSelf, kTarget)),
                               if_reduced(kReduction, has_one_element(kOut))}};

Plan plan(const Arguments& arguments) {
  return plan_loss(
      arguments, kReduction, broadcast_shape(arguments, {kSelf, kTarget}),
      {{kSelf, kTarget}, kOut, arguments.dtype(kSelf), HWY_DYNAMIC_DISPATCH(soft_margin)()});
}

}  // namespace margin

namespace margin_gradient {

enum : size_t { kGradOutput, kSelf, kTarget, kReduction, kGradInput };

const OperatorSpec kSpec{
    "aclnnSoftMarginLossBackward",
    {input("gradOutput"), input("self"), input("target"), attribute("reduction"),
     output("gradInput")},
    Rules{not_null({kGradOutput, kSelf, kTarget, kGradInput}), dtype_in(kGradOutput, kRealFloats),
          same_dtype({kSelf, kTarget, kGradInput}, kGradOutput), loss_reduction_known(kReduction),
          max_rank({kGradOutput, kSelf, kTarget, kGradInput}),
          broadcastable({kGradOutput, kSelf, kTarget}),
          shape_is_broadcast(kGradInput, {kGradOutput, kSelf, kTarget})}};

Plan plan(const Arguments& arguments) {
  const int64_t count = count_elements(arguments.shape(kGradInput));
  return plan_elements(arguments, {{kGradOutput, kSelf, kTarget},
                                   kGradInput,
                                   arguments.dtype(kSelf),
                                   HWY_DYNAMIC_DISPATCH(soft_margin_gradient)(static_cast<double>(
                                       loss_divisor(arguments, kReduction, count)))});
}

}  // namespace margin_gradient
namespace divergence_of {

enum : size_t { kSelf, kTarget, kReduction, kLogTarget, kOut };

const OperatorSpec kSpec{
    "aclnnKlDiv",
    {input("self"), input("target"), attribute("reduction"), attribute("logTarget"), output("out")},
    Rules{not_null({kSelf, kTarget, kOut}), promotes_to_one_of({kSelf, kTarget}, kRealFloats),
          result_converts(promote_tensors(kSelf, kTarget), kOut), loss_reduction_known(kReduction),
          max_rank({kSelf, kTarget, kOut}), broadcastable(kSelf, kTarget),
          unless_reduced(kReduction, shape_is_broadcast(kOut, kSelf, kTarget)),
          if_reduced(kReduction, has_one_element(kOut))}};

Plan plan(const Arguments& arguments) {
  return plan_loss(arguments, kReduction, broadcast_shape(arguments, {kSelf, kTarget}),
                   {{kSelf, kTarget},
                    kOut,
                    *promote_tensors(kSelf, kTarget)(arguments),
                    HWY_DYNAMIC_DISPATCH(divergence)(arguments.flag(kLogTarget))});
}

}  // namespace divergence_of

// Both gradients: of self, which target broadcasts to, and of target, which self broadcasts to.
namespace gradient_of {

enum : size_t { kGradOutput, kSelf, kTarget, kReduction, kLogTarget, kResult };

OperatorSpec spec(const char* name, const char* result, size_t prediction, size_t other) {
  const std::vector<size_t> inputs = {kGradOutput, kSelf, kTarget};
  return {name,
          {input("gradOutput"), input("self"), input("target"), attribute("reduction"),
           attribute("logTarget"), output(result)},
          Rules{not_null({kGradOutput, kSelf, kTarget, kResult}),
                promotes_to_one_of(inputs, kRealFloats),
                result_converts(promote_tensors(inputs), kResult), loss_reduction_known(kReduction),
                max_rank({kGradOutput, kSelf, kTarget}), broadcasts_to(other, prediction),
                broadcasts_to(kGradOutput, prediction), same_shape(kResult, prediction)}};
}

const OperatorSpec kOfSelf = spec("aclnnKlDivBackward", "gradInput", kSelf, kTarget);
const OperatorSpec kOfTarget = spec("aclnnKlDivTargetBackward", "gradTarget", kTarget, kSelf);

double divisor(const Arguments& arguments) {
  const int64_t count = count_elements(arguments.shape(kResult));
  return static_cast<double>(loss_divisor(arguments, kReduction, count));
}

Plan plan(const Arguments& arguments, std::vector<std::optional<size_t>> inputs,
          RealKernel kernel) {
  const aclDataType dtype = *promote_tensors({kGradOutput, kSelf, kTarget})(arguments);
  return plan_elements(arguments, {std::move(inputs), kResult, dtype, std::move(kernel)});
}

}  // namespace gradient_of
}  // namespace

ACLGRAD_OPERATOR(aclnnBinaryCrossEntropy, cross_entropy::kSpec, cross_entropy::plan)
ACLGRAD_OPERATOR(aclnnBinaryCrossEntropyBackward, cross_entropy_gradient::kSpec,
                 cross_entropy_gradient::plan)
ACLGRAD_OPERATOR(aclnnSoftMarginLoss, margin::kSpec, margin::plan)
ACLGRAD_OPERATOR(aclnnSoftMarginLossBackward, margin_gradient::kSpec, margin_gradient::plan)
ACLGRAD_OPERATOR(aclnnKlDiv, divergence_of::kSpec, divergence_of::plan)
ACLGRAD_OPERATOR(aclnnKlDivBackward, gradient_of::kOfSelf, [](const Arguments& arguments) {
  const bool log_target = arguments.flag(gradient_of::kLogTarget);
  return gradient_of::plan(
      arguments, {gradient_of::kGradOutput, gradient_of::kTarget},
      HWY_DYNAMIC_DISPATCH(divergence_gradient)(log_target, gradient_of::divisor(arguments)));
})
ACLGRAD_OPERATOR(aclnnKlDivTargetBackward, gradient_of::kOfTarget, [](const Arguments& arguments) {
  const bool log_target = arguments.flag(gradient_of::kLogTarget);
  return gradient_of::plan(arguments,
                           {gradient_of::kGradOutput, gradient_of::kSelf, gradient_of::kTarget},
                           HWY_DYNAMIC_DISPATCH(divergence_gradient_by_target)(
                               log_target, gradient_of::divisor(arguments)));
})

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
