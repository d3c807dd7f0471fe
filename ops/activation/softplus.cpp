// SPDX-License-Identifier: Apache-2.0
// aclnnSoftplus, aclnnSoftplusBackward.
#include "ops/activation/softplus_kernel.h"

#include "aclnnop/aclnn_softplus.h"
#include "aclnnop/aclnn_softplus_backward.h"
#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/engine/dtype/dtype_sets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/activation/softplus.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/formula-inl.h"
#include "ops/engine/math/log-inl.h"
#include "ops/engine/math/sigmoid-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

// a x, without the rounding that would count in its exponential. In double.
template <class D, class V>
HWY_INLINE Expansion<V> exact_product(D d, V x, double a) {
  const auto product = two_product(d, x, set(d, a));
  const auto moderate = hn::Lt(hn::Abs(product.high), hn::Set(d, 1024.0));
  return {product.high, hn::IfThenElseZero(moderate, product.low)};
}
template <class D, class V>
HWY_INLINE V softplus(D d, V x, double a, double b) {
  if constexpr (kIsFloat<D>) {
    return in_double(
        d, [=](auto wide, auto each) HWY_ATTR { return softplus(wide, each, a, b); }, x);
  } else {
    const auto z = exact_product(d, x, a);
    const auto negative = hn::Lt(z.high, hn::Zero(d));
    const V low = hn::IfThenElse(negative, z.low, hn::Neg(z.low));
    const V decay = log1p(d, exponential(d, hn::Neg(hn::Abs(z.high)), low));
    const V sum = hn::Add(hn::IfThenZeroElse(negative, z.high), decay);
    return hn::IfThenElse(hn::Gt(z.high, set(d, b)), x, hn::Div(sum, set(d, a)));
  }
}
template <class D, class V>
HWY_INLINE V softplus_slope(D d, V x, double a, double b) {
  if constexpr (kIsFloat<D>) {
    return in_double(
        d, [=](auto wide, auto each) HWY_ATTR { return softplus_slope(wide, each, a, b); }, x);
  } else {
    const auto z = exact_product(d, x, a);
    const V slope = logistic_pair(d, z.high, z.low).of_plus;
    return hn::IfThenElse(hn::Gt(z.high, set(d, b)), one(d), slope);
  }
}

// x for beta x > threshold, otherwise log(1 + e^(beta x)) / beta.
FloatKernel softplus_formula(double beta, double threshold) {
  return unary([=](auto d, auto x) HWY_ATTR { return softplus(d, x, beta, threshold); });
}

// g times the derivative at x.
FloatKernel softplus_backward_kernel(double beta, double threshold) {
  return binary([=](auto d, auto g, auto x)
                    HWY_ATTR { return hn::Mul(g, softplus_slope(d, x, beta, threshold)); });
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {
namespace {

HWY_EXPORT(softplus_formula);
HWY_EXPORT(softplus_backward_kernel);

enum : size_t { kSelf, kBeta, kThreshold, kOut };

const OperatorSpec kSoftplus{
    "aclnnSoftplus",
    {input("self"), attribute("beta"), attribute("threshold"), output("out")},
    Rules{not_null({kSelf, kBeta, kThreshold, kOut}), dtype_in({kSelf, kOut}, kFloats),
          scalar_castable_to_float(kBeta), scalar_castable_to_float(kThreshold),
          max_rank({kSelf, kOut}), same_shape(kOut, kSelf)}};

namespace backward {

enum : size_t { kGradOutput, kSelf, kBeta, kThreshold, kGradInput };

const OperatorSpec kSpec{
    "aclnnSoftplusBackward",
    {input("gradOutput"), input("self"), attribute("beta"), attribute("threshold"),
     output("gradInput")},
    Rules{not_null({kGradOutput, kSelf, kGradInput, kBeta, kThreshold}),
          dtype_in(kGradOutput, kRealFloats), dtype_in(kSelf, kRealNumbersAndBool),
          dtype_in(kGradInput, kRealFloats), max_rank({kGradOutput, kSelf, kGradInput}),
          same_shape({kSelf, kGradInput}, kGradOutput)}};

Plan plan(const Arguments& arguments) {
  const aclDataType grad = arguments.dtype(kGradOutput);
  const bool equal = arguments.dtype(kSelf) == grad && arguments.dtype(kGradInput) == grad;
  return plan_arithmetic(
      arguments, kGradInput, {kGradOutput, kSelf}, equal ? grad : ACL_FLOAT,
      HWY_DYNAMIC_DISPATCH(softplus_backward_kernel)(arguments.scalar(kBeta).to_float(),
                                                     arguments.scalar(kThreshold).to_float()));
}

}  // namespace backward
}  // namespace

FloatKernel softplus_kernel(double beta, double threshold) {
  return HWY_DYNAMIC_DISPATCH(softplus_formula)(beta, threshold);
}

ACLGRAD_OPERATOR(aclnnSoftplus, kSoftplus, [](const Arguments& arguments) {
  return plan_arithmetic(
      arguments, kOut, {kSelf}, arguments.dtype(kSelf),
      softplus_kernel(arguments.scalar(kBeta).to_float(), arguments.scalar(kThreshold).to_float()));
})
ACLGRAD_OPERATOR(aclnnSoftplusBackward, backward::kSpec, backward::plan)

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
