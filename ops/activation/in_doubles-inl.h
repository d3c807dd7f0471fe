// SPDX-License-Identifier: Apache-2.0
// Per-target: formulas of doubles for vectors of either type.
#if defined(ACLGRAD_OPS_ACTIVATION_IN_DOUBLES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ACTIVATION_IN_DOUBLES_INL_H_
#undef ACLGRAD_OPS_ACTIVATION_IN_DOUBLES_INL_H_
#else
#define ACLGRAD_OPS_ACTIVATION_IN_DOUBLES_INL_H_
#endif

#include "ops/engine/math/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

// formula(tag, x...); floats are computed in double and rounded once.
template <class Formula>
auto in_doubles(const Formula& formula) {
  return [formula](auto d, auto... x) HWY_ATTR {
    if constexpr (kIsFloat<decltype(d)>) {
      return in_double(d, formula, x...);
    } else {
      return formula(d, x...);
    }
  };
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
