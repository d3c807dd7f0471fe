// SPDX-License-Identifier: Apache-2.0
// Per-target: load/store traits of FLOAT, FLOAT16 and BF16: vectors of float from and to memory.
//
// A step is two vectors of floats, so that its 16-bit elements fill one vector.
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

// Which results a tier accepts. The fast tier accepts finite ones only, as its formula may give NaN
// for inputs that it cannot compute. The accurate tier accepts infinities and NaN, too.
enum class Accept { kFinite, kAll };

// The traits of an element type:
//
// kIs16Bit: elements are shorter than floats.
//
// load() is exact. pattern() gives the bits of 16-bit elements, in the order of load(). exact()
// packs floats that are values of the element type.
//
// near() rounds floats with an error of at most kErrorUlp ulp to nearest. It clears `accepted` if a
// result is not accepted, or if the error could change the rounding (Ziv's test). With kMayBeExact
// a float whose last bit is 0 has no error.
//
// rounded() rounds floats that are the exact value rounded to odd, or a correctly rounded sum,
// product or quotient of two elements: this second rounding is innocuous (Figueroa, "When is double
// rounding innocuous?", 1995). Ties between two of the smallest numbers of BF16 are the exception,
// unless the value is a sum (kIsSum): it clears `accepted` there.
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

  template <Accept kAccept, int kErrorUlp, bool kMayBeExact>
  static HWY_INLINE Packed near(FloatTag d, FloatPair v, bool& accepted) {
    if constexpr (kAccept == Accept::kFinite) {
      // Only infinities and NaN minus themselves are not 0, which is one comparison for both
      // vectors. A product with 0 would do, too, but for subnormal numbers takes some processors
      // twenty times as long.
      const auto first = hn::Sub(v.first, v.first);
      const auto second = hn::Sub(v.second, v.second);
      accepted = accepted && hn::AllTrue(d, hn::Eq(first, second));
    }
    return v;
  }
  template <Accept kAccept, bool kIsSum>
  static HWY_INLINE Packed rounded(FloatTag, FloatPair v, bool&) {
    return v;
  }
};

#if HWY_TARGET == HWY_SCALAR
// One lane: near() leaves all 16-bit elements to the exact kernel; rounded() gives the results of
// the vector code.
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
  static HWY_INLINE Packed exact(FloatTag, FloatPair v) {
    return {nearest(v.first), nearest(v.second)};
  }
  template <Accept kAccept, int kErrorUlp, bool kMayBeExact>
  static HWY_INLINE Packed near(FloatTag d, FloatPair v, bool& accepted) {
    accepted = false;
    return exact(d, v);
  }
  template <Accept kAccept, bool kIsSum>
  static HWY_INLINE Packed rounded(FloatTag d, FloatPair v, bool& accepted) {
    const Packed packed = exact(d, v);
    accepted = accepted && is_certain<kIsSum>(packed.first) && is_certain<kIsSum>(packed.second);
    return packed;
  }

 private:
  static HWY_INLINE Element nearest(Floats v) {
    return from_parts<Element>(static_cast<double>(hn::GetLane(v)), 0.0);
  }
  template <bool kIsSum>
  static HWY_INLINE bool is_certain(Element rounded) {
    if constexpr (std::is_same_v<Element, Float16>) return true;
    const double value = std::abs(real_part(rounded));
    return value != value || kIsSum || value == 0 || value >= 0x1p-90;
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
  static HWY_INLINE Packed exact(FloatTag, FloatPair v) {
    const FullTag16 ds;
    const auto first = hn::ShiftRight<16>(hn::BitCast(WordTag(), v.first));
    return hn::OddEven(hn::BitCast(ds, v.second), hn::BitCast(ds, first));
  }
  template <StoreMode kMode>
  static HWY_INLINE void store(Packed packed, Bfloat16* target) {
    store_vector<kMode>(packed, FullTag16(), reinterpret_cast<uint16_t*>(target));
  }

  template <Accept kAccept, int kErrorUlp, bool kMayBeExact>
  static HWY_INLINE Packed near(FloatTag d, FloatPair v, bool& accepted) {
    const FullTag16 ds;
    if constexpr (kAccept == Accept::kAll)
      v = {shortened_nan(d, v.first), shortened_nan(d, v.second)};
    const WordHalves halves = split(v, 0x8000u + kErrorUlp);
    auto certain = hn::Gt(halves.low, hn::Set(ds, uint16_t{2 * kErrorUlp - 1}));
    const auto twice = hn::Add(halves.high, halves.high);
    FullVec16 result = halves.high;
    if constexpr (kMayBeExact) {
      // Below 2^-100 the rounding errors that show exactness may underflow.
      const auto large = hn::Gt(twice, hn::Set(ds, uint16_t{2 * 0x0d80 - 1}));
      const auto tie = hn::And(large, hn::Eq(halves.low, hn::Set(ds, uint16_t{kErrorUlp})));
      certain = hn::Or(certain, tie);
      result = even_where(tie, result);
    }
    if constexpr (kAccept == Accept::kFinite) {
      certain = hn::And(certain, hn::Lt(twice, hn::Set(ds, kTwiceInfinity)));
    }
    accepted = accepted && hn::AllTrue(ds, certain);
    return result;
  }

  template <Accept kAccept, bool kIsSum>
  static HWY_INLINE Packed rounded(FloatTag d, FloatPair v, bool& accepted) {
    const FullTag16 ds;
    if constexpr (kAccept == Accept::kAll)
      v = {shortened_nan(d, v.first), shortened_nan(d, v.second)};
    const WordHalves halves = split(v, 0x8000u);
    // Ties go to the even pattern.
    const auto tie = hn::Eq(halves.low, hn::Zero(ds));
    const auto twice = hn::Add(halves.high, halves.high);
    if constexpr (kAccept == Accept::kFinite) {
      accepted =
          accepted && hn::AllTrue(ds, hn::Lt(twice, hn::Set(ds, uint16_t{kTwiceInfinity + 1})));
    }
    if constexpr (!kIsSum) {
      constexpr uint16_t kTwiceSmall = 2 * 0x1280;  // of 2^-90
      accepted =
          accepted && hn::AllFalse(ds, hn::And(tie, hn::Lt(twice, hn::Set(ds, kTwiceSmall))));
    }
    return even_where(tie, halves.high);
  }

 private:
  static constexpr uint16_t kTwiceInfinity = 2 * 0x7f80;

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
  static HWY_INLINE Packed exact(FloatTag d, FloatPair v) { return nearest(d, v); }
  template <StoreMode kMode>
  static HWY_INLINE void store(Packed packed, Float16* target) {
    store_vector<kMode>(packed, FullTag16(), reinterpret_cast<uint16_t*>(target));
  }

  // Both ends of the error interval must round to one element. For NaN and infinities they do.
  template <Accept kAccept, int kErrorUlp, bool kMayBeExact>
  static HWY_INLINE Packed near(FloatTag d, FloatPair v, bool& accepted) {
    constexpr float kPart = (kErrorUlp + 1) * 0x1p-23f;  // 1 ulp for the products here
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
    if constexpr (kAccept == Accept::kFinite) {
      const auto twice = hn::Add(result, result);
      certain = hn::And(certain, hn::Lt(twice, hn::Set(ds, uint16_t{2 * 0x7c00})));
    }
    accepted = accepted && hn::AllTrue(ds, certain);
    return result;
  }

  template <Accept kAccept, bool kIsSum>
  static HWY_INLINE Packed rounded(FloatTag d, FloatPair v, bool&) {
    return nearest(d, v);
  }

 private:
  static HWY_INLINE FullVec16 nearest(FloatTag d, FloatPair v) {
    return hn::Combine(FullTag16(), nearest_float16(d, v.second), nearest_float16(d, v.first));
  }
};

#endif  // not one lane

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
