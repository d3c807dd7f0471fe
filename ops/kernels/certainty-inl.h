// SPDX-License-Identifier: Apache-2.0
// Per-target: which results of a step hold, of those that are computed quickly first.
//
// A step takes two vectors of floats at a time, so that two of 16-bit elements fill one vector.
#if defined(ACLGRAD_OPS_KERNELS_CERTAINTY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_KERNELS_CERTAINTY_INL_H_
#undef ACLGRAD_OPS_KERNELS_CERTAINTY_INL_H_
#else
#define ACLGRAD_OPS_KERNELS_CERTAINTY_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "ops/kernels/float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
using FullShortTag = hn::ScalableTag<uint16_t>;
using ShortMask = hn::Mask<FullShortTag>;
#endif

inline constexpr size_t kFloatLanes = hn::MaxLanes(FloatTag());
// Elements of a step.
inline constexpr size_t kStep = 2 * kFloatLanes;

// The bits of a mask, one for each lane.
template <class D, class M>
HWY_INLINE uint64_t bits_of(D d, M mask) {
  alignas(64) uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  uint64_t bits = 0;
  for (size_t i = 0; i < 8; ++i) bits |= uint64_t{bytes[i]} << (8 * i);
  return bits;
}

// Which of a step's results hold, by the vectors from which they came.
struct FloatCertainty {
  FloatMask first;
  FloatMask second;

  static HWY_INLINE FloatCertainty all() {
    const FloatMask all = hn::FirstN(FloatTag(), kFloatLanes);
    return {all, all};
  }
  HWY_INLINE bool everywhere() const { return hn::AllTrue(FloatTag(), hn::And(first, second)); }
};

// Results that hold where they are finite.
struct FiniteFloats {
  Floats first;
  Floats second;

  HWY_INLINE FloatCertainty certainty() const {
    return {hn::IsFinite(first), hn::IsFinite(second)};
  }
  // Only infinities and NaN times 0 are not 0, which is one comparison for both vectors.
  HWY_INLINE bool everywhere() const {
    const FloatTag d;
    const auto zeros = hn::MulAdd(first, hn::Zero(d), hn::Mul(second, hn::Zero(d)));
    return hn::AllTrue(d, hn::Eq(zeros, hn::Zero(d)));
  }
};

// Elements in the order of the lanes, those of the second vector behind those of the first.
HWY_INLINE uint64_t uncertain_in_order(FloatCertainty certain) {
  const FloatTag d;
  return bits_of(d, hn::Not(certain.first)) | bits_of(d, hn::Not(certain.second)) << kFloatLanes;
}

#if HWY_TARGET != HWY_SCALAR
// By the elements.
struct ShortCertainty {
  ShortMask mask;

  HWY_INLINE bool everywhere() const { return hn::AllTrue(FullShortTag(), mask); }
};
#endif

// Nothing that could be doubted.
struct Certain {
  HWY_INLINE bool everywhere() const { return true; }
};

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
