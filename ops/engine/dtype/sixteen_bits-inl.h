// SPDX-License-Identifier: Apache-2.0
// Per-target: FLOAT16 and BF16 patterns to vectors of float, and from vectors of float and double
// (sixteen_bits.h has the other ways). Included by kernel files inside Highway's foreach_target
// loop.
#if defined(ACLGRAD_OPS_ENGINE_DTYPE_SIXTEEN_BITS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_DTYPE_SIXTEEN_BITS_INL_H_
#undef ACLGRAD_OPS_ENGINE_DTYPE_SIXTEEN_BITS_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_DTYPE_SIXTEEN_BITS_INL_H_
#endif

#include "hwy/highway.h"
#include "ops/engine/dtype/sixteen_bits.h"
#include "ops/engine/tree_sum.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
using Patterns = hn::Vec<hn::Rebind<uint16_t, D>>;

template <class D>
HWY_INLINE hn::Vec<D> floats_of_bfloat16(D d, Patterns<D> patterns) {
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(hn::RebindToUnsigned<D>(), patterns)));
}

// The nearest BF16 pattern in the upper half of each word.
template <class D>
HWY_INLINE hn::Vec<hn::RebindToUnsigned<D>> bfloat16_words(D, hn::Vec<D> v) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, v);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1u));
  const auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(du, 0x7fffu)));
  // Rounding could carry a NaN's lower bits into a number.
  const auto quiet = hn::Or(bits, hn::Set(du, 0x00400000u));
  return hn::IfThenElse(hn::RebindMask(du, hn::IsNaN(v)), quiet, rounded);
}
template <class D>
HWY_INLINE Patterns<D> nearest_bfloat16(D d, hn::Vec<D> v) {
  return hn::TruncateTo(hn::Rebind<uint16_t, D>(), hn::ShiftRight<16>(bfloat16_words(d, v)));
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

// ---- From doubles -------------------------------------------------------------------------------

// At most as many as a sum has accumulators.
using DoubleTag = hn::CappedTag<double, kAccumulators>;
using Doubles = hn::Vec<DoubleTag>;
inline constexpr size_t kDoubleLanes = hn::MaxLanes(DoubleTag());

// The nearest floats; infinite where that is due.
HWY_INLINE hn::Vec<hn::Rebind<float, DoubleTag>> nearest_floats(Doubles values) {
  const hn::Rebind<float, DoubleTag> df;
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  // The portable DemoteTo stops at the largest float.
  alignas(64) double from[kDoubleLanes];
  alignas(64) float to[kDoubleLanes];
  hn::Store(values, DoubleTag(), from);
  for (size_t i = 0; i < kDoubleLanes; ++i) to[i] = static_cast<float>(from[i]);
  return hn::Load(df, to);
#else
  return hn::DemoteTo(df, values);
#endif
}

// Floats rounded to odd: what is lost marks the last bit, so that rounding once more, to a shorter
// format, gives what rounding the doubles would. For values in the normal range of float.
HWY_INLINE auto floats_to_odd(Doubles values) {
  constexpr uint64_t kLost = (uint64_t{1} << 29) - 1;
  const hn::RebindToUnsigned<DoubleTag> du;
  const auto lost = hn::Set(du, kLost);
  const auto bits = hn::BitCast(du, values);
  const auto mark = hn::Add(hn::And(bits, lost), lost);  // carries if anything is lost
  const auto odd = hn::AndNot(lost, hn::Or(bits, mark));
  return nearest_floats(hn::BitCast(DoubleTag(), odd));
}

HWY_INLINE auto nearest_bfloat16(Doubles values) {
  const DoubleTag d;
  const auto tiny = hn::Lt(hn::Abs(values), hn::Set(d, 0x1p-126));
  if (HWY_UNLIKELY(!hn::AllFalse(d, tiny))) {
    // Below the normal range all results are multiples of 2^-133.
    const Doubles aligner = hn::Set(d, 0x1p-81);
    const Doubles whole = hn::Sub(hn::Add(hn::Abs(values), aligner), aligner);
    values = hn::IfThenElse(tiny, hn::CopySign(whole, values), values);
  }
  return nearest_bfloat16(hn::Rebind<float, DoubleTag>(), floats_to_odd(values));
}

#if HWY_TARGET <= HWY_AVX2
HWY_INLINE auto nearest_float16(Doubles values) {
  return nearest_float16(hn::Rebind<float, DoubleTag>(), floats_to_odd(values));
}
#else
// Without an instruction for it: double_to_float16, lane by lane.
HWY_INLINE auto nearest_float16(Doubles values) {
  alignas(64) double from[kDoubleLanes];
  alignas(64) uint16_t to[kDoubleLanes];
  hn::Store(values, DoubleTag(), from);
  for (size_t i = 0; i < kDoubleLanes; ++i) to[i] = double_to_float16(from[i]);
  return hn::Load(hn::Rebind<uint16_t, DoubleTag>(), to);
}
#endif

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
