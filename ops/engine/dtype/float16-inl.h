// SPDX-License-Identifier: Apache-2.0
// Per-target: FLOAT16 and BF16 patterns to and from vectors of float. Included by kernel files
// inside Highway's foreach_target loop.
#if defined(ACLGRAD_OPS_ENGINE_DTYPE_FLOAT16_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_DTYPE_FLOAT16_INL_H_
#undef ACLGRAD_OPS_ENGINE_DTYPE_FLOAT16_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_DTYPE_FLOAT16_INL_H_
#endif

#include "hwy/highway.h"
#include "ops/engine/dtype/formats.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
using Patterns = hn::Vec<hn::Rebind<uint16_t, D>>;

template <class D>
HWY_INLINE hn::Vec<D> floats_of_bfloat16(D d, Patterns<D> patterns) {
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(hn::RebindToUnsigned<D>(), patterns)));
}

// A NaN without the bits that BF16 does not hold, which rounding might carry over; others as they
// are.
template <class D>
HWY_INLINE hn::Vec<D> shortened_nan(D d, hn::Vec<D> v) {
  const hn::RebindToUnsigned<D> du;
  const auto kept = hn::And(hn::BitCast(du, v), hn::Set(du, 0xffff0000u));
  const auto quiet = hn::Or(kept, hn::Set(du, 0x00400000u));
  return hn::IfThenElse(hn::IsNaN(v), hn::BitCast(d, quiet), v);
}

// The nearest BF16 pattern in the upper half of each word. Not for NaN.
template <class D>
HWY_INLINE hn::Vec<hn::RebindToUnsigned<D>> bfloat16_words(D, hn::Vec<D> v) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, v);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1u));
  return hn::Add(bits, hn::Add(odd, hn::Set(du, 0x7fffu)));
}

// NaN stays NaN.
template <class D>
HWY_INLINE Patterns<D> nearest_bfloat16(D d, hn::Vec<D> v) {
  const hn::RebindToUnsigned<D> du;
  const auto quiet = hn::Or(hn::BitCast(du, v), hn::Set(du, 0x00400000u));
  const auto is_nan = hn::RebindMask(du, hn::IsNaN(v));
  const auto words = hn::IfThenElse(is_nan, quiet, bfloat16_words(d, v));
  return hn::TruncateTo(hn::Rebind<uint16_t, D>(), hn::ShiftRight<16>(words));
}

// Instruction sets with fused multiply-add also convert FLOAT16. Elsewhere it goes lane by lane, as
// Highway's own conversion there does not handle infinity and NaN.
#if HWY_NATIVE_FMA
template <class D>
HWY_INLINE hn::Vec<D> floats_of_float16(D d, Patterns<D> patterns) {
  return hn::PromoteTo(d, hn::BitCast(hn::Rebind<hwy::float16_t, D>(), patterns));
}
template <class D>
HWY_INLINE Patterns<D> nearest_float16(D, hn::Vec<D> v) {
  const hn::Rebind<hwy::float16_t, D> tag16;
  return hn::BitCast(hn::Rebind<uint16_t, D>(), hn::DemoteTo(tag16, v));
}
#else
template <class D>
HWY_INLINE hn::Vec<D> floats_of_float16(D d, Patterns<D> patterns) {
  alignas(64) uint16_t bits[hn::MaxLanes(d)];
  alignas(64) float values[hn::MaxLanes(d)];
  hn::Store(patterns, hn::Rebind<uint16_t, D>(), bits);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    values[i] = static_cast<float>(float16_to_double(bits[i]));
  }
  return hn::Load(d, values);
}
template <class D>
HWY_INLINE Patterns<D> nearest_float16(D d, hn::Vec<D> v) {
  alignas(64) float values[hn::MaxLanes(d)];
  alignas(64) uint16_t bits[hn::MaxLanes(d)];
  hn::Store(v, d, values);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    bits[i] = double_to_float16(static_cast<double>(values[i]));
  }
  return hn::Load(hn::Rebind<uint16_t, D>(), bits);
}
#endif

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
