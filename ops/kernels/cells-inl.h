// SPDX-License-Identifier: Apache-2.0
// Per-target: vectors of float out of and into stored elements of FLOAT, FLOAT16 and BF16.
//
// A step takes two vectors of floats at a time, so that two of 16-bit elements fill one vector.
#if defined(ACLGRAD_OPS_KERNELS_CELLS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_KERNELS_CELLS_INL_H_
#undef ACLGRAD_OPS_KERNELS_CELLS_INL_H_
#else
#define ACLGRAD_OPS_KERNELS_CELLS_INL_H_
#endif

#include <cmath>
#include <type_traits>

#include "ops/kernels/certainty-inl.h"
#include "ops/kernels/fetch_ahead.h"
#include "ops/kernels/float-inl.h"
#include "ops/kernels/formats.h"
#include "ops/kernels/short_floats-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using WordTag = hn::RebindToUnsigned<FloatTag>;
using ShortTag = hn::Rebind<uint16_t, FloatTag>;
using PatternTag = hn::RebindToSigned<FloatTag>;  // as indices are
using PatternWords = hn::Vec<PatternTag>;
#if HWY_TARGET != HWY_SCALAR
using FullShorts = hn::Vec<FullShortTag>;
#endif

struct FloatPair {
  Floats first;
  Floats second;
};

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

// Elements before `out` reaches a whole vector; more than any count if it never does.
template <class Stored>
size_t elements_to_alignment(const Stored* out) {
  constexpr size_t kBytes = kFloatLanes * sizeof(float);
  const size_t beyond = reinterpret_cast<uintptr_t>(out) % kBytes;
  if (beyond % sizeof(Stored) != 0) return SIZE_MAX;
  return (kBytes - beyond) % kBytes / sizeof(Stored);
}

// For each element type:
//
// kRoundsAgain: elements are shorter than floats.
//
// load() is exact. pattern() gives the bits of 16-bit elements, in the order of load(). exact() is
// for floats that are elements already. uncertain() gives a bit for each element of a step that
// does not hold.
//
// near() rounds to nearest, and takes those elements out of `certain` that lie so near to the
// middle between two neighbours that an error of kDoubt units in the last place of the float could
// make the difference; infinities and NaN too, which are due only where the exact kernel says so.
// With kMayBeExact, one in the very middle is exact, and so certain.
//
// rounded() is for a float that is the exact value rounded to odd, or the nearest to a sum, a
// product or a quotient of two elements: rounding that again gives the nearest element (Figueroa,
// "When is double rounding innocuous?", 1995). Among the smallest numbers of BF16 that is so for
// sums only (kIsSum): others are taken out, and NaN is. A NaN must not have more bits than an
// element holds.
//
// as_float() is high + low, rounded to an element but still as a float.
template <class Stored>
struct Cells;

template <>
struct Cells<float> {
  static constexpr bool kRoundsAgain = false;
  using Packed = FloatPair;
  using Near = FiniteFloats;
  using Rounded = Certain;

  template <int kVector>
  static HWY_INLINE Floats load(FloatTag d, const float* source) {
    return hn::LoadU(d, source + kVector * kFloatLanes);
  }
  template <Path kPath>
  static HWY_INLINE void store(Packed packed, float* target) {
    put<kPath>(packed.first, FloatTag(), target);
    put<kPath>(packed.second, FloatTag(), target + kFloatLanes);
  }

  template <int kDoubt, bool kMayBeExact>
  static HWY_INLINE Packed near(FloatTag, FloatPair v, Near& certain) {
    certain = {v.first, v.second};
    return v;
  }
  template <bool kIsSum>
  static HWY_INLINE Packed rounded(FloatTag, FloatPair v, Rounded&) {
    return v;
  }
  static HWY_INLINE Floats as_float(FloatTag, Twofold<Floats> value) { return value.high; }

  static HWY_INLINE uint64_t uncertain(FloatCertainty certain) {
    return uncertain_in_order(certain);
  }
  static HWY_INLINE uint64_t uncertain(FiniteFloats results) {
    return uncertain_in_order(results.certainty());
  }
  static HWY_INLINE uint64_t uncertain(Certain) { return 0; }
};

#if HWY_TARGET == HWY_SCALAR
// One lane: 16-bit elements that are not rounded from the nearest float are all left to the exact
// kernel. Those that are must come out as they do elsewhere.
template <class Stored>
struct Cells {
  static constexpr bool kRoundsAgain = true;
  struct Packed {
    Stored first;
    Stored second;
  };
  using Near = FloatCertainty;
  using Rounded = FloatCertainty;

  template <int kVector>
  static HWY_INLINE Floats load(FloatTag d, const Stored* source) {
    return hn::Set(d, static_cast<float>(real_part(source[kVector])));
  }
  template <int kVector>
  static HWY_INLINE PatternWords pattern(FloatTag, const Stored* source) {
    return hn::Set(PatternTag(), source[kVector].bits);
  }
  template <Path kPath>
  static HWY_INLINE void store(Packed packed, Stored* target) {
    target[0] = packed.first;
    target[1] = packed.second;
  }
  static HWY_INLINE Packed exact(FloatTag, FloatPair v) {
    return {nearest(v.first), nearest(v.second)};
  }
  template <int kDoubt, bool kMayBeExact>
  static HWY_INLINE Packed near(FloatTag d, FloatPair v, Near& certain) {
    certain = {hn::FirstN(d, 0), hn::FirstN(d, 0)};
    return exact(d, v);
  }
  template <bool kIsSum>
  static HWY_INLINE Packed rounded(FloatTag d, FloatPair v, Rounded& certain) {
    const Packed packed{nearest(v.first), nearest(v.second)};
    certain = {hn::FirstN(d, holds<kIsSum>(packed.first) ? 1 : 0),
               hn::FirstN(d, holds<kIsSum>(packed.second) ? 1 : 0)};
    return packed;
  }
  static HWY_INLINE Floats as_float(FloatTag d, Twofold<Floats> value) {
    const Stored rounded = nearest(round_to_odd(d, value.high, value.low));
    return hn::Set(d, static_cast<float>(real_part(rounded)));
  }
  static HWY_INLINE uint64_t uncertain(FloatCertainty certain) {
    return uncertain_in_order(certain);
  }
  static HWY_INLINE uint64_t uncertain(Certain) { return 0; }

 private:
  static HWY_INLINE Stored nearest(Floats v) {
    return from_parts<Stored>(static_cast<double>(hn::GetLane(v)), 0.0);
  }
  template <bool kIsSum>
  static HWY_INLINE bool holds(Stored rounded) {
    if constexpr (std::is_same_v<Stored, Half>) return true;
    const double value = std::abs(real_part(rounded));
    return value == value && (kIsSum || value == 0 || value >= 0x1p-90);
  }
};
#else

template <>
struct Cells<Bfloat> {
  static constexpr bool kRoundsAgain = true;
  using Packed = FullShorts;
  using Near = ShortCertainty;
  using Rounded = ShortCertainty;

  // Elements with even numbers, or those with odd ones: that takes no shuffle.
  template <int kVector>
  static HWY_INLINE Floats load(FloatTag d, const Bfloat* source) {
    const auto shorts = hn::LoadU(FullShortTag(), reinterpret_cast<const uint16_t*>(source));
    const auto words = hn::BitCast(WordTag(), shorts);
    return hn::BitCast(d, kVector == 0 ? hn::ShiftLeft<16>(words)
                                       : hn::And(words, hn::Set(WordTag(), 0xffff0000u)));
  }
  template <int kVector>
  static HWY_INLINE PatternWords pattern(FloatTag, const Bfloat* source) {
    const auto shorts = hn::LoadU(FullShortTag(), reinterpret_cast<const uint16_t*>(source));
    const auto words = hn::BitCast(WordTag(), shorts);
    return hn::BitCast(PatternTag(), kVector == 0 ? hn::And(words, hn::Set(WordTag(), 0xffffu))
                                                  : hn::ShiftRight<16>(words));
  }
  static HWY_INLINE Packed exact(FloatTag, FloatPair v) {
    const FullShortTag ds;
    const auto first = hn::ShiftRight<16>(hn::BitCast(WordTag(), v.first));
    return hn::OddEven(hn::BitCast(ds, v.second), hn::BitCast(ds, first));
  }
  template <Path kPath>
  static HWY_INLINE void store(Packed packed, Bfloat* target) {
    put<kPath>(packed, FullShortTag(), reinterpret_cast<uint16_t*>(target));
  }

  template <int kDoubt, bool kMayBeExact>
  static HWY_INLINE Packed near(FloatTag, FloatPair v, Near& certain) {
    const FullShortTag ds;
    const Halves halves = split(v, 0x8000u + kDoubt);
    auto decided = hn::Gt(halves.low, hn::Set(ds, uint16_t{2 * kDoubt - 1}));
    const auto twice = hn::Add(halves.high, halves.high);
    const auto finite = hn::Lt(twice, hn::Set(ds, kTwiceInfinity));
    if constexpr (kMayBeExact) {
      // Below 2^-100 the rests that tell what is exact may be too small for a float.
      const auto large = hn::Gt(twice, hn::Set(ds, uint16_t{2 * 0x0d80 - 1}));
      const auto tie = hn::And(large, hn::Eq(halves.low, hn::Set(ds, uint16_t{kDoubt})));
      certain = {hn::And(hn::Or(decided, tie), finite)};
      return even_where(tie, halves.high);
    } else {
      certain = {hn::And(decided, finite)};
      return halves.high;
    }
  }

  template <bool kIsSum>
  static HWY_INLINE Packed rounded(FloatTag, FloatPair v, Rounded& certain) {
    const FullShortTag ds;
    const Halves halves = split(v, 0x8000u);
    // Of two that are equally near, the one with an even pattern.
    const auto tie = hn::Eq(halves.low, hn::Zero(ds));
    const auto twice = hn::Add(halves.high, halves.high);
    certain = {hn::Lt(twice, hn::Set(ds, uint16_t{kTwiceInfinity + 1}))};
    if constexpr (!kIsSum) {
      constexpr uint16_t kTwiceSmall = 2 * 0x1280;  // of 2^-90
      const auto one = hn::Set(ds, uint16_t{1});
      const auto regular = hn::Gt(hn::Sub(twice, one), hn::Set(ds, uint16_t{kTwiceSmall - 2}));
      certain.mask = hn::And(certain.mask, regular);  // 0 is, too
    }
    return even_where(tie, halves.high);
  }

  static HWY_INLINE Floats as_float(FloatTag d, Twofold<Floats> value) {
    const auto words = bfloat_words(d, round_to_odd(d, value.high, value.low));
    return hn::BitCast(d, hn::And(words, hn::Set(WordTag(), 0xffff0000u)));
  }

  static HWY_INLINE uint64_t uncertain(Certain) { return 0; }
  static HWY_INLINE uint64_t uncertain(ShortCertainty certain) {
    return bits_of(FullShortTag(), hn::Not(certain.mask));
  }
  static HWY_INLINE uint64_t uncertain(FloatCertainty certain) {
    return spread(bits_of(FloatTag(), hn::Not(certain.first))) |
           spread(bits_of(FloatTag(), hn::Not(certain.second))) << 1;
  }

 private:
  static constexpr uint16_t kTwiceInfinity = 2 * 0x7f80;

  static HWY_INLINE FullShorts even_where(ShortMask tie, FullShorts rounded_up) {
    const auto even = hn::And(rounded_up, hn::Set(FullShortTag(), uint16_t{0xfffe}));
    return hn::IfThenElse(tie, even, rounded_up);
  }

  // Both halves of the words of the floats plus `shift`, in the order of the elements.
  struct Halves {
    FullShorts low;
    FullShorts high;
  };
  static HWY_INLINE Halves split(FloatPair v, uint32_t shift) {
    const WordTag dw;
    const FullShortTag ds;
    const auto first = hn::Add(hn::BitCast(dw, v.first), hn::Set(dw, shift));
    const auto second = hn::Add(hn::BitCast(dw, v.second), hn::Set(dw, shift));
    return {hn::OddEven(hn::BitCast(ds, hn::ShiftLeft<16>(second)), hn::BitCast(ds, first)),
            hn::OddEven(hn::BitCast(ds, second), hn::BitCast(ds, hn::ShiftRight<16>(first)))};
  }

  // Bit i to bit 2 i.
  static HWY_INLINE uint64_t spread(uint64_t bits) {
    uint64_t result = 0;
    for (size_t i = 0; i < kFloatLanes; ++i) result |= (bits >> i & 1) << (2 * i);
    return result;
  }
};

template <>
struct Cells<Half> {
  static constexpr bool kRoundsAgain = true;
  using Packed = FullShorts;
  struct Near {
    FloatCertainty decided;
    ShortCertainty finite;
    HWY_INLINE bool everywhere() const { return decided.everywhere() && finite.everywhere(); }
  };
  using Rounded = Certain;

  template <int kVector>
  static HWY_INLINE Floats load(FloatTag d, const Half* source) {
    const auto* bits = reinterpret_cast<const uint16_t*>(source) + kVector * kFloatLanes;
    return floats_of_halves(d, hn::LoadU(ShortTag(), bits));
  }
  template <int kVector>
  static HWY_INLINE PatternWords pattern(FloatTag, const Half* source) {
    const auto* bits = reinterpret_cast<const uint16_t*>(source) + kVector * kFloatLanes;
    return hn::PromoteTo(PatternTag(), hn::LoadU(ShortTag(), bits));
  }
  static HWY_INLINE Packed exact(FloatTag d, FloatPair v) { return nearest(d, v); }
  template <Path kPath>
  static HWY_INLINE void store(Packed packed, Half* target) {
    put<kPath>(packed, FullShortTag(), reinterpret_cast<uint16_t*>(target));
  }

  template <int kDoubt, bool kMayBeExact>
  static HWY_INLINE Packed near(FloatTag d, FloatPair v, Near& certain) {
    const FullShortTag ds;
    const FullShorts packed = nearest(d, v);
    certain.decided = {decided<kDoubt, kMayBeExact>(v.first),
                       decided<kDoubt, kMayBeExact>(v.second)};
    const auto twice = hn::Add(packed, packed);
    certain.finite = {hn::Lt(twice, hn::Set(ds, uint16_t{2 * 0x7c00}))};
    return packed;
  }

  template <bool kIsSum>
  static HWY_INLINE Packed rounded(FloatTag d, FloatPair v, Rounded&) {
    return nearest(d, v);
  }

  static HWY_INLINE Floats as_float(FloatTag d, Twofold<Floats> value) {
    return floats_of_halves(d, nearest_halves(d, round_to_odd(d, value.high, value.low)));
  }

  static HWY_INLINE uint64_t uncertain(FloatCertainty certain) {
    return uncertain_in_order(certain);
  }
  static HWY_INLINE uint64_t uncertain(Near certain) {
    return uncertain_in_order(certain.decided) |
           bits_of(FullShortTag(), hn::Not(certain.finite.mask));
  }
  static HWY_INLINE uint64_t uncertain(Certain) { return 0; }

 private:
  static HWY_INLINE FullShorts nearest(FloatTag d, FloatPair v) {
    return hn::Combine(FullShortTag(), nearest_halves(d, v.second), nearest_halves(d, v.first));
  }

  // A normal number of FLOAT16, but not in the middle between two; or 0, or a single bit.
  template <int kDoubt, bool kMayBeExact>
  static HWY_INLINE FloatMask decided(Floats v) {
    constexpr uint32_t kSmallestNormal = 0x38800000;  // 2^-14
    const WordTag dw;
    const auto bits = hn::BitCast(dw, v);
    const auto shifted = hn::Add(bits, hn::Set(dw, 0x1000u + kDoubt));
    const auto below = hn::And(shifted, hn::Set(dw, 0x1fffu));
    const auto twice = hn::Sub(hn::Add(bits, bits), hn::Set(dw, 3u));
    const auto regular = hn::Gt(twice, hn::Set(dw, uint32_t{2 * kSmallestNormal - 4}));
    auto result = hn::Gt(below, hn::Set(dw, uint32_t{2 * kDoubt - 1}));
    if constexpr (kMayBeExact) {
      result = hn::Or(result, hn::Eq(below, hn::Set(dw, uint32_t{kDoubt})));
    }
    return hn::RebindMask(FloatTag(), hn::And(result, regular));
  }
};

#endif  // not one lane

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
