// SPDX-License-Identifier: Apache-2.0
// Per-target: vectors of float out of and into stored elements of FLOAT, FLOAT16 and BF16.
#if defined(ACLGRAD_OPS_KERNELS_CELLS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_KERNELS_CELLS_INL_H_
#undef ACLGRAD_OPS_KERNELS_CELLS_INL_H_
#else
#define ACLGRAD_OPS_KERNELS_CELLS_INL_H_
#endif

#include "ops/kernels/float-inl.h"
#include "ops/kernels/formats.h"
#include "ops/kernels/short_floats-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using WordTag = hn::RebindToUnsigned<FloatTag>;
using Words = hn::Vec<WordTag>;
using ShortTag = hn::Rebind<uint16_t, FloatTag>;

// How a store goes to memory: through the caches, or around them where the target allows it (the
// address must then be aligned to a whole vector).
enum class Path { kCached, kAround };

template <Path kPath, class V, class D, class T>
HWY_INLINE void put(V v, D d, T* target) {
  if constexpr (kPath == Path::kAround) {
    hn::Stream(v, d, target);
  } else {
    hn::StoreU(v, d, target);
  }
}

// For each element type:
//
// kRoundsAgain: elements are shorter than floats.
//
// load() is exact.
//
// store() rounds to nearest, and takes those lanes out of `certain` that lie so near to the middle
// between two neighbours that a float's error of a few units in the last place could make the
// difference.
//
// store_rounded() is for a float that is the exact value rounded to odd, or the nearest to a sum, a
// product or a quotient of two elements: rounding that again gives the nearest element (Figueroa,
// "When is double rounding innocuous?", 1995). Among the smallest numbers of BF16 that is not so:
// those lanes, and NaN, are taken out.
//
// rounded() is high + low, rounded to an element but still as a float.
template <class Stored>
struct Cells;

template <>
struct Cells<float> {
  static constexpr bool kRoundsAgain = false;

  static HWY_INLINE Floats load(FloatTag d, const float* source) { return hn::LoadU(d, source); }

  template <Path kPath>
  static HWY_INLINE void store(FloatTag d, Floats v, float* target, FloatMask&) {
    put<kPath>(v, d, target);
  }
  template <Path kPath>
  static HWY_INLINE void store_rounded(FloatTag d, Floats v, float* target, FloatMask&) {
    put<kPath>(v, d, target);
  }

  static HWY_INLINE Floats rounded(FloatTag, Twofold<Floats> value) { return value.high; }
};

template <>
struct Cells<Bfloat> {
  static constexpr bool kRoundsAgain = true;

  static HWY_INLINE Floats load(FloatTag d, const Bfloat* source) {
    const auto bits = hn::LoadU(ShortTag(), reinterpret_cast<const uint16_t*>(source));
    return floats_of_bfloats(d, bits);
  }

  template <Path kPath>
  static HWY_INLINE void store(FloatTag d, Floats v, Bfloat* target, FloatMask& certain) {
    constexpr uint32_t kDoubt = 3;  // units in the last place of the float
    const WordTag dw;
    const auto shifted = hn::Add(hn::BitCast(dw, v), hn::Set(dw, 0x8000u + kDoubt));
    const auto below = hn::And(shifted, hn::Set(dw, 0xffffu));
    certain = hn::And(certain, hn::RebindMask(d, hn::Lt(hn::Set(dw, 2 * kDoubt - 1), below)));
    put_upper<kPath>(shifted, target);
  }

  template <Path kPath>
  static HWY_INLINE void store_rounded(FloatTag d, Floats v, Bfloat* target, FloatMask& certain) {
    put_upper<kPath>(bfloat_words(d, v), target);
    const auto large = hn::Ge(hn::Abs(v), hn::Set(d, 0x1p-90f));  // not for NaN
    certain = hn::And(certain, hn::Or(large, hn::Eq(v, hn::Zero(d))));
  }

  static HWY_INLINE Floats rounded(FloatTag d, Twofold<Floats> value) {
    const auto words = bfloat_words(d, round_to_odd(d, value.high, value.low));
    return hn::BitCast(d, hn::And(words, hn::Set(WordTag(), 0xffff0000u)));
  }

 private:
  template <Path kPath>
  static HWY_INLINE void put_upper(Words bits, Bfloat* target) {
    const hn::RebindToSigned<WordTag> di;
    const auto upper = hn::BitCast(di, hn::ShiftRight<16>(bits));
    put<kPath>(hn::DemoteTo(ShortTag(), upper), ShortTag(), reinterpret_cast<uint16_t*>(target));
  }
};

template <>
struct Cells<Half> {
  static constexpr bool kRoundsAgain = true;

  static HWY_INLINE Floats load(FloatTag d, const Half* source) {
    return floats_of_halves(d, hn::LoadU(ShortTag(), reinterpret_cast<const uint16_t*>(source)));
  }

  template <Path kPath>
  static HWY_INLINE void store(FloatTag d, Floats v, Half* target, FloatMask& certain) {
    constexpr float kDoubt = 0x1p-22f;  // relative
    const auto outer = nearest_halves(d, hn::Mul(v, hn::Set(d, 1 + kDoubt)));
    const auto inner = nearest_halves(d, hn::Mul(v, hn::Set(d, 1 - kDoubt)));
    const auto differ = hn::PromoteTo(WordTag(), hn::Xor(outer, inner));
    certain = hn::And(certain, hn::RebindMask(d, hn::Eq(differ, hn::Zero(WordTag()))));
    put<kPath>(outer, ShortTag(), reinterpret_cast<uint16_t*>(target));
  }

  static HWY_INLINE Floats rounded(FloatTag d, Twofold<Floats> value) {
    return floats_of_halves(d, nearest_halves(d, round_to_odd(d, value.high, value.low)));
  }

  template <Path kPath>
  static HWY_INLINE void store_rounded(FloatTag d, Floats v, Half* target, FloatMask&) {
    put<kPath>(nearest_halves(d, v), ShortTag(), reinterpret_cast<uint16_t*>(target));
  }
};

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
