// SPDX-License-Identifier: Apache-2.0
// Per-target: vectors of float out of and into stored elements of FLOAT, FLOAT16 and BF16.
//
// A step takes two vectors of floats at a time, so that two of 16-bit elements fill one vector.
#if defined(ACLGRAD_OPS_ENGINE_DTYPE_CELLS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_DTYPE_CELLS_INL_H_
#undef ACLGRAD_OPS_ENGINE_DTYPE_CELLS_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_DTYPE_CELLS_INL_H_
#endif

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ops/engine/dtype/float16-inl.h"
#include "ops/engine/dtype/formats.h"
#include "ops/engine/fetch_ahead.h"
#include "ops/engine/math/float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

inline constexpr size_t kFloatLanes = hn::MaxLanes(FloatTag());
// Elements of a step.
inline constexpr size_t kStep = 2 * kFloatLanes;

using WordTag = hn::RebindToUnsigned<FloatTag>;
using Tag16 = hn::Rebind<uint16_t, FloatTag>;
using PatternTag = hn::RebindToSigned<FloatTag>;  // as indices are
using PatternWords = hn::Vec<PatternTag>;
#if HWY_TARGET != HWY_SCALAR
using FullTag16 = hn::ScalableTag<uint16_t>;
using Mask16 = hn::Mask<FullTag16>;
using FullVec16 = hn::Vec<FullTag16>;
#endif

struct FloatPair {
  Floats first;
  Floats second;
};

// How a store goes to memory: through the caches, or around them where the target allows it (the
// address must then be aligned to a whole vector).
enum class Path { kCached, kStreaming };

template <Path kPath, class V, class D, class T>
HWY_INLINE void put(V v, D d, T* target) {
  if constexpr (kPath == Path::kStreaming) {
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

// Which results are taken. At first only finite ones: a formula in float has NaN for what it cannot
// say, too. Then infinities and NaN as well, of a formula that is right about them.
enum class Taken { kFinite, kAll };

// For each element type:
//
// kRoundsAgain: elements are shorter than floats.
//
// load() is exact. pattern() gives the bits of 16-bit elements, in the order of load(). exact() is
// for floats that are elements already.
//
// near() rounds to nearest; `hold` becomes false if some result is not to be taken, or lies so near
// to the middle between two neighbours that an error of kDoubt units in the last place of the float
// could make the difference. With kMayBeExact a float whose last bit is 0 has no error.
//
// rounded() is for a float that is the exact value rounded to odd, or the nearest to a sum, a
// product or a quotient of two elements: rounding that again gives the nearest element (Figueroa,
// "When is double rounding innocuous?", 1995). Not so in the middle between two of the smallest
// numbers of BF16, but for sums (kIsSum): `hold` becomes false.
template <class Stored>
struct Cells;

template <>
struct Cells<float> {
  static constexpr bool kRoundsAgain = false;
  using Packed = FloatPair;

  template <int kVector>
  static HWY_INLINE Floats load(FloatTag d, const float* source) {
    return hn::LoadU(d, source + kVector * kFloatLanes);
  }
  template <Path kPath>
  static HWY_INLINE void store(Packed packed, float* target) {
    put<kPath>(packed.first, FloatTag(), target);
    put<kPath>(packed.second, FloatTag(), target + kFloatLanes);
  }

  template <Taken kTaken, int kDoubt, bool kMayBeExact>
  static HWY_INLINE Packed near(FloatTag d, FloatPair v, bool& hold) {
    if constexpr (kTaken == Taken::kFinite) {
      // Only infinities and NaN minus themselves are not 0, which is one comparison for both
      // vectors. A product with 0 would do, too, but for subnormal numbers takes some processors
      // twenty times as long.
      const auto first = hn::Sub(v.first, v.first);
      const auto second = hn::Sub(v.second, v.second);
      hold = hold && hn::AllTrue(d, hn::Eq(first, second));
    }
    return v;
  }
  template <Taken kTaken, bool kIsSum>
  static HWY_INLINE Packed rounded(FloatTag, FloatPair v, bool&) {
    return v;
  }
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
  template <Taken kTaken, int kDoubt, bool kMayBeExact>
  static HWY_INLINE Packed near(FloatTag d, FloatPair v, bool& hold) {
    hold = false;
    return exact(d, v);
  }
  template <Taken kTaken, bool kIsSum>
  static HWY_INLINE Packed rounded(FloatTag d, FloatPair v, bool& hold) {
    const Packed packed = exact(d, v);
    hold = hold && holds<kIsSum>(packed.first) && holds<kIsSum>(packed.second);
    return packed;
  }

 private:
  static HWY_INLINE Stored nearest(Floats v) {
    return from_parts<Stored>(static_cast<double>(hn::GetLane(v)), 0.0);
  }
  template <bool kIsSum>
  static HWY_INLINE bool holds(Stored rounded) {
    if constexpr (std::is_same_v<Stored, Half>) return true;
    const double value = std::abs(real_part(rounded));
    return value != value || kIsSum || value == 0 || value >= 0x1p-90;
  }
};
#else

template <>
struct Cells<Bfloat> {
  static constexpr bool kRoundsAgain = true;
  using Packed = FullVec16;

  // Elements with even numbers, or those with odd ones: that takes no shuffle.
  template <int kVector>
  static HWY_INLINE Floats load(FloatTag d, const Bfloat* source) {
    const auto bits16 = hn::LoadU(FullTag16(), reinterpret_cast<const uint16_t*>(source));
    const auto words = hn::BitCast(WordTag(), bits16);
    return hn::BitCast(d, kVector == 0 ? hn::ShiftLeft<16>(words)
                                       : hn::And(words, hn::Set(WordTag(), 0xffff0000u)));
  }
  template <int kVector>
  static HWY_INLINE PatternWords pattern(FloatTag, const Bfloat* source) {
    const auto bits16 = hn::LoadU(FullTag16(), reinterpret_cast<const uint16_t*>(source));
    const auto words = hn::BitCast(WordTag(), bits16);
    return hn::BitCast(PatternTag(), kVector == 0 ? hn::And(words, hn::Set(WordTag(), 0xffffu))
                                                  : hn::ShiftRight<16>(words));
  }
  static HWY_INLINE Packed exact(FloatTag, FloatPair v) {
    const FullTag16 ds;
    const auto first = hn::ShiftRight<16>(hn::BitCast(WordTag(), v.first));
    return hn::OddEven(hn::BitCast(ds, v.second), hn::BitCast(ds, first));
  }
  template <Path kPath>
  static HWY_INLINE void store(Packed packed, Bfloat* target) {
    put<kPath>(packed, FullTag16(), reinterpret_cast<uint16_t*>(target));
  }

  template <Taken kTaken, int kDoubt, bool kMayBeExact>
  static HWY_INLINE Packed near(FloatTag d, FloatPair v, bool& hold) {
    const FullTag16 ds;
    if constexpr (kTaken == Taken::kAll)
      v = {shortened_nan(d, v.first), shortened_nan(d, v.second)};
    const Halves halves = split(v, 0x8000u + kDoubt);
    auto certain = hn::Gt(halves.low, hn::Set(ds, uint16_t{2 * kDoubt - 1}));
    const auto twice = hn::Add(halves.high, halves.high);
    FullVec16 result = halves.high;
    if constexpr (kMayBeExact) {
      // Below 2^-100 the rests that tell what is exact may be too small for a float.
      const auto large = hn::Gt(twice, hn::Set(ds, uint16_t{2 * 0x0d80 - 1}));
      const auto tie = hn::And(large, hn::Eq(halves.low, hn::Set(ds, uint16_t{kDoubt})));
      certain = hn::Or(certain, tie);
      result = even_where(tie, result);
    }
    if constexpr (kTaken == Taken::kFinite) {
      certain = hn::And(certain, hn::Lt(twice, hn::Set(ds, kTwiceInfinity)));
    }
    hold = hold && hn::AllTrue(ds, certain);
    return result;
  }

  template <Taken kTaken, bool kIsSum>
  static HWY_INLINE Packed rounded(FloatTag d, FloatPair v, bool& hold) {
    const FullTag16 ds;
    if constexpr (kTaken == Taken::kAll)
      v = {shortened_nan(d, v.first), shortened_nan(d, v.second)};
    const Halves halves = split(v, 0x8000u);
    // Of two that are equally near, the one with an even pattern.
    const auto tie = hn::Eq(halves.low, hn::Zero(ds));
    const auto twice = hn::Add(halves.high, halves.high);
    if constexpr (kTaken == Taken::kFinite) {
      hold = hold && hn::AllTrue(ds, hn::Lt(twice, hn::Set(ds, uint16_t{kTwiceInfinity + 1})));
    }
    if constexpr (!kIsSum) {
      constexpr uint16_t kTwiceSmall = 2 * 0x1280;  // of 2^-90
      hold = hold && hn::AllFalse(ds, hn::And(tie, hn::Lt(twice, hn::Set(ds, kTwiceSmall))));
    }
    return even_where(tie, halves.high);
  }

 private:
  static constexpr uint16_t kTwiceInfinity = 2 * 0x7f80;

  static HWY_INLINE FullVec16 even_where(Mask16 tie, FullVec16 rounded_up) {
    const auto even = hn::And(rounded_up, hn::Set(FullTag16(), uint16_t{0xfffe}));
    return hn::IfThenElse(tie, even, rounded_up);
  }

  // Both halves of the words of the floats plus `shift`, in the order of the elements.
  struct Halves {
    FullVec16 low;
    FullVec16 high;
  };
  static HWY_INLINE Halves split(FloatPair v, uint32_t shift) {
    const WordTag dw;
    const FullTag16 ds;
    const auto first = hn::Add(hn::BitCast(dw, v.first), hn::Set(dw, shift));
    const auto second = hn::Add(hn::BitCast(dw, v.second), hn::Set(dw, shift));
    return {hn::OddEven(hn::BitCast(ds, hn::ShiftLeft<16>(second)), hn::BitCast(ds, first)),
            hn::OddEven(hn::BitCast(ds, second), hn::BitCast(ds, hn::ShiftRight<16>(first)))};
  }
};

template <>
struct Cells<Half> {
  static constexpr bool kRoundsAgain = true;
  using Packed = FullVec16;

  template <int kVector>
  static HWY_INLINE Floats load(FloatTag d, const Half* source) {
    const auto* bits = reinterpret_cast<const uint16_t*>(source) + kVector * kFloatLanes;
    return floats_of_halves(d, hn::LoadU(Tag16(), bits));
  }
  template <int kVector>
  static HWY_INLINE PatternWords pattern(FloatTag, const Half* source) {
    const auto* bits = reinterpret_cast<const uint16_t*>(source) + kVector * kFloatLanes;
    return hn::PromoteTo(PatternTag(), hn::LoadU(Tag16(), bits));
  }
  static HWY_INLINE Packed exact(FloatTag d, FloatPair v) { return nearest(d, v); }
  template <Path kPath>
  static HWY_INLINE void store(Packed packed, Half* target) {
    put<kPath>(packed, FullTag16(), reinterpret_cast<uint16_t*>(target));
  }

  // Both ends of the doubt must round to the same element. Those of NaN and infinities do.
  template <Taken kTaken, int kDoubt, bool kMayBeExact>
  static HWY_INLINE Packed near(FloatTag d, FloatPair v, bool& hold) {
    constexpr float kPart = (kDoubt + 1) * 0x1p-23f;  // with what the products here lose
    const auto moved = [&](Floats each, float factor) HWY_ATTR {
      const Floats other = hn::Mul(each, hn::Set(d, factor));
      if constexpr (!kMayBeExact) return other;
      const auto last_bit = hn::And(hn::BitCast(WordTag(), each), hn::Set(WordTag(), 1u));
      const auto is_exact = hn::RebindMask(d, hn::Eq(last_bit, hn::Zero(WordTag())));
      return hn::IfThenElse(is_exact, each, other);
    };
    const auto rounded_at = [&](float factor) HWY_ATTR {
      return nearest(d, {moved(v.first, factor), moved(v.second, factor)});
    };
    const FullVec16 result = rounded_at(1 - kPart);
    const FullTag16 ds;
    auto certain = hn::Eq(result, rounded_at(1 + kPart));
    if constexpr (kTaken == Taken::kFinite) {
      const auto twice = hn::Add(result, result);
      certain = hn::And(certain, hn::Lt(twice, hn::Set(ds, uint16_t{2 * 0x7c00})));
    }
    hold = hold && hn::AllTrue(ds, certain);
    return result;
  }

  template <Taken kTaken, bool kIsSum>
  static HWY_INLINE Packed rounded(FloatTag d, FloatPair v, bool&) {
    return nearest(d, v);
  }

 private:
  static HWY_INLINE FullVec16 nearest(FloatTag d, FloatPair v) {
    return hn::Combine(FullTag16(), nearest_halves(d, v.second), nearest_halves(d, v.first));
  }
};

#endif  // not one lane

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
