// SPDX-License-Identifier: Apache-2.0
// Per-target: load/store traits of FLOAT, FLOAT16 and BF16: vectors of float from and to memory.
//
// Elements are handled in vector pairs: two vectors of floats, whose 16-bit elements fill one
// vector.
#if defined(ACLGRAD_OPS_ENGINE_DTYPE_LOAD_STORE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_DTYPE_LOAD_STORE_INL_H_
#undef ACLGRAD_OPS_ENGINE_DTYPE_LOAD_STORE_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_DTYPE_LOAD_STORE_INL_H_
#endif

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ops/engine/dtype/formats.h"
#include "ops/engine/dtype/sixteen_bits-inl.h"
#include "ops/engine/fetch_ahead.h"
#include "ops/engine/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

inline constexpr size_t kFloatLanes = hn::MaxLanes(FloatTag());
// Elements of a vector pair.
inline constexpr size_t kPairLanes = 2 * kFloatLanes;

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

// Whether stores go through the caches or are streaming (non-temporal) where the target has such
// stores; the address must then be aligned to a whole vector.
enum class StoreMode { kCached, kStreaming };

template <StoreMode kMode, class V, class D, class T>
HWY_INLINE void store_vector(V v, D d, T* target) {
  if constexpr (kMode == StoreMode::kStreaming) {
    hn::Stream(v, d, target);
  } else {
    hn::StoreU(v, d, target);
  }
}

// Elements before `out` is aligned to a vector; SIZE_MAX if it never is.
template <class Element>
size_t elements_to_alignment(const Element* out) {
  constexpr size_t kBytes = kFloatLanes * sizeof(float);
  const size_t beyond = reinterpret_cast<uintptr_t>(out) % kBytes;
  if (beyond % sizeof(Element) != 0) return SIZE_MAX;
  return (kBytes - beyond) % kBytes / sizeof(Element);
}

// The traits of an element type:
//
// kIs16Bit: elements are shorter than floats.
//
// load() is exact. pattern() gives the bits of 16-bit elements, in the order of load().
//
// round_if_certain() rounds floats to nearest that are within 3 ulp or, with kMayBeExact, within 5
// ulp and exact where their last bit is 0. It clears `accepted` if the error could change the
// rounding (Ziv's test).
//
// round() rounds floats whose second rounding gives what rounding the exact value would: that
// value rounded to odd, or a correctly rounded sum of two elements, for example (Figueroa, "When is
// double rounding innocuous?", 1995). round_unless_tiny() clears `accepted` for results below
// 2^-100 that are not 0: a float may have too few bits there for what would be innocuous elsewhere.
//
// A NaN keeps the upper half of its bits, which must say that it is one: that of 16-bit elements
// does.
template <bool kMayBeExact>
inline constexpr int kErrorUlp = kMayBeExact ? 5 : 3;

template <class Element>
struct LoadStore;

template <>
struct LoadStore<float> {
  static constexpr bool kIs16Bit = false;
  using Packed = FloatPair;

  template <int kVector>
  static HWY_INLINE Floats load(FloatTag d, const float* source) {
    return hn::LoadU(d, source + kVector * kFloatLanes);
  }
  template <StoreMode kMode>
  static HWY_INLINE void store(Packed packed, float* target) {
    store_vector<kMode>(packed.first, FloatTag(), target);
    store_vector<kMode>(packed.second, FloatTag(), target + kFloatLanes);
  }

  template <bool kMayBeExact>
  static HWY_INLINE Packed round_if_certain(FloatTag, FloatPair v, bool&) {
    return v;
  }
  static HWY_INLINE Packed round(FloatTag, FloatPair v) { return v; }
  static HWY_INLINE Packed round_unless_tiny(FloatTag, FloatPair v, bool&) { return v; }
};

#if HWY_TARGET == HWY_SCALAR
// One lane: round_if_certain() leaves all 16-bit elements to the exact kernel; round() gives the
// results of the vector code.
template <class Element>
struct LoadStore {
  static constexpr bool kIs16Bit = true;
  struct Packed {
    Element first;
    Element second;
  };

  template <int kVector>
  static HWY_INLINE Floats load(FloatTag d, const Element* source) {
    return hn::Set(d, static_cast<float>(real_part(source[kVector])));
  }
  template <int kVector>
  static HWY_INLINE PatternWords pattern(FloatTag, const Element* source) {
    return hn::Set(PatternTag(), source[kVector].bits);
  }
  template <StoreMode kMode>
  static HWY_INLINE void store(Packed packed, Element* target) {
    target[0] = packed.first;
    target[1] = packed.second;
  }
  template <bool kMayBeExact>
  static HWY_INLINE Packed round_if_certain(FloatTag d, FloatPair v, bool& accepted) {
    accepted = false;
    return round(d, v);
  }
  static HWY_INLINE Packed round(FloatTag, FloatPair v) {
    return {nearest(v.first), nearest(v.second)};
  }
  static HWY_INLINE Packed round_unless_tiny(FloatTag d, FloatPair v, bool& accepted) {
    return round_if_certain<false>(d, v, accepted);
  }

 private:
  static HWY_INLINE Element nearest(Floats v) {
    return from_parts<Element>(static_cast<double>(hn::GetLane(v)), 0.0);
  }
};
#else

template <>
struct LoadStore<Bfloat16> {
  static constexpr bool kIs16Bit = true;
  using Packed = FullVec16;

  // Elements with even indices, or those with odd ones: that takes no shuffle.
  template <int kVector>
  static HWY_INLINE Floats load(FloatTag d, const Bfloat16* source) {
    const auto bits16 = hn::LoadU(FullTag16(), reinterpret_cast<const uint16_t*>(source));
    const auto words = hn::BitCast(WordTag(), bits16);
    return hn::BitCast(d, kVector == 0 ? hn::ShiftLeft<16>(words)
                                       : hn::And(words, hn::Set(WordTag(), 0xffff0000u)));
  }
  template <int kVector>
  static HWY_INLINE PatternWords pattern(FloatTag, const Bfloat16* source) {
    const auto bits16 = hn::LoadU(FullTag16(), reinterpret_cast<const uint16_t*>(source));
    const auto words = hn::BitCast(WordTag(), bits16);
    return hn::BitCast(PatternTag(), kVector == 0 ? hn::And(words, hn::Set(WordTag(), 0xffffu))
                                                  : hn::ShiftRight<16>(words));
  }
  template <StoreMode kMode>
  static HWY_INLINE void store(Packed packed, Bfloat16* target) {
    store_vector<kMode>(packed, FullTag16(), reinterpret_cast<uint16_t*>(target));
  }

  template <bool kMayBeExact>
  static HWY_INLINE Packed round_if_certain(FloatTag, FloatPair v, bool& accepted) {
    const FullTag16 ds;
    constexpr int kUlp = kErrorUlp<kMayBeExact>;
    const WordHalves halves = split(v, 0x8000u + kUlp);
    auto certain = hn::Gt(halves.low, hn::Set(ds, uint16_t{2 * kUlp - 1}));
    FullVec16 result = halves.high;
    if constexpr (kMayBeExact) {
      // Below 2^-100 the rounding errors that show exactness may underflow.
      const auto twice = hn::Add(result, result);
      const auto large = hn::Gt(twice, hn::Set(ds, uint16_t{2 * 0x0d80 - 1}));
      const auto tie = hn::And(large, hn::Eq(halves.low, hn::Set(ds, uint16_t{kUlp})));
      certain = hn::Or(certain, tie);
      result = even_where(tie, result);
    }
    accepted = accepted && hn::AllTrue(ds, certain);
    return result;
  }

  static HWY_INLINE Packed round(FloatTag, FloatPair v) {
    const WordHalves halves = split(v, 0x8000u);
    // Ties go to the even pattern.
    return even_where(hn::Eq(halves.low, hn::Zero(FullTag16())), halves.high);
  }

  static HWY_INLINE Packed round_unless_tiny(FloatTag, FloatPair v, bool& accepted) {
    const FullTag16 ds;
    const WordHalves halves = split(v, 0x8000u);
    const auto twice = hn::Add(halves.high, halves.high);
    const auto tiny = hn::Lt(twice, hn::Set(ds, uint16_t{2 * 0x0d80}));
    const auto is_zero =
        hn::Eq(hn::Or(twice, hn::Xor(halves.low, hn::Set(ds, uint16_t{0x8000}))), hn::Zero(ds));
    accepted = accepted && hn::AllFalse(ds, hn::AndNot(is_zero, tiny));
    return even_where(hn::Eq(halves.low, hn::Zero(ds)), halves.high);
  }

 private:
  static HWY_INLINE FullVec16 even_where(Mask16 tie, FullVec16 rounded_up) {
    const auto even = hn::And(rounded_up, hn::Set(FullTag16(), uint16_t{0xfffe}));
    return hn::IfThenElse(tie, even, rounded_up);
  }

  // The low and high halves of the words of the floats plus `shift`, in the order of the elements.
  struct WordHalves {
    FullVec16 low;
    FullVec16 high;
  };
  static HWY_INLINE WordHalves split(FloatPair v, uint32_t shift) {
    const WordTag dw;
    const FullTag16 ds;
    const auto first = hn::Add(hn::BitCast(dw, v.first), hn::Set(dw, shift));
    const auto second = hn::Add(hn::BitCast(dw, v.second), hn::Set(dw, shift));
    return {hn::OddEven(hn::BitCast(ds, hn::ShiftLeft<16>(second)), hn::BitCast(ds, first)),
            hn::OddEven(hn::BitCast(ds, second), hn::BitCast(ds, hn::ShiftRight<16>(first)))};
  }
};

template <>
struct LoadStore<Float16> {
  static constexpr bool kIs16Bit = true;
  using Packed = FullVec16;

  template <int kVector>
  static HWY_INLINE Floats load(FloatTag d, const Float16* source) {
    const auto* bits = reinterpret_cast<const uint16_t*>(source) + kVector * kFloatLanes;
    return floats_of_float16(d, hn::LoadU(Tag16(), bits));
  }
  template <int kVector>
  static HWY_INLINE PatternWords pattern(FloatTag, const Float16* source) {
    const auto* bits = reinterpret_cast<const uint16_t*>(source) + kVector * kFloatLanes;
    return hn::PromoteTo(PatternTag(), hn::LoadU(Tag16(), bits));
  }
  template <StoreMode kMode>
  static HWY_INLINE void store(Packed packed, Float16* target) {
    store_vector<kMode>(packed, FullTag16(), reinterpret_cast<uint16_t*>(target));
  }

  // Both ends of the error interval must round to one element. For NaN and infinities they do.
  template <bool kMayBeExact>
  static HWY_INLINE Packed round_if_certain(FloatTag d, FloatPair v, bool& accepted) {
    constexpr float kPart = (kErrorUlp<kMayBeExact> + 1) * 0x1p-23f;  // 1 ulp for the products here
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
    accepted = accepted && hn::AllTrue(FullTag16(), hn::Eq(result, rounded_at(1 + kPart)));
    return result;
  }

  static HWY_INLINE Packed round(FloatTag d, FloatPair v) { return nearest(d, v); }
  // No results are tiny for floats.
  static HWY_INLINE Packed round_unless_tiny(FloatTag d, FloatPair v, bool&) {
    return nearest(d, v);
  }

 private:
  static HWY_INLINE FullVec16 nearest(FloatTag d, FloatPair v) {
    return hn::Combine(FullTag16(), nearest_float16(d, v.second), nearest_float16(d, v.first));
  }
};

#endif  // not one lane

// Two vectors one after the other, each value rounded to nearest. This keeps the order of elements;
// LoadStore uses whatever order is cheapest.
template <StoreMode kMode>
HWY_INLINE void store_both(FloatTag d, FloatPair v, float* to) {
  store_vector<kMode>(v.first, d, to);
  store_vector<kMode>(v.second, d, to + kFloatLanes);
}
template <StoreMode kMode>
HWY_INLINE void store_both(FloatTag d, FloatPair v, Float16* to) {
  auto* bits = reinterpret_cast<uint16_t*>(to);
  store_vector<kMode>(nearest_float16(d, v.first), Tag16(), bits);
  store_vector<kMode>(nearest_float16(d, v.second), Tag16(), bits + kFloatLanes);
}
template <StoreMode kMode>
HWY_INLINE void store_both(FloatTag d, FloatPair v, Bfloat16* to) {
  const auto first = bfloat16_words(d, v.first);
  const auto second = bfloat16_words(d, v.second);
#if HWY_TARGET == HWY_SCALAR
  to[0].bits = static_cast<uint16_t>(hn::GetLane(first) >> 16);
  to[1].bits = static_cast<uint16_t>(hn::GetLane(second) >> 16);
#else
  const FullTag16 ds;
  store_vector<kMode>(hn::ConcatOdd(ds, hn::BitCast(ds, second), hn::BitCast(ds, first)), ds,
                      reinterpret_cast<uint16_t*>(to));
#endif
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
