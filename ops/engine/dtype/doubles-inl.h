// SPDX-License-Identifier: Apache-2.0
// Per-target: loads and stores of real elements as vectors of at most eight doubles, and the sums
// and functions of such vectors that reductions use. Included by kernel files inside Highway's
// foreach_target loop.
//
// Every instruction set gives the same bits: a fused multiply-add is one rounding everywhere.
#if defined(ACLGRAD_OPS_ENGINE_DTYPE_DOUBLES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_DTYPE_DOUBLES_INL_H_
#undef ACLGRAD_OPS_ENGINE_DTYPE_DOUBLES_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_DTYPE_DOUBLES_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "hwy/highway.h"
#include "ops/engine/dtype/formats.h"
#include "ops/engine/dtype/sixteen_bits-inl.h"
#include "ops/engine/math/log-inl.h"
#include "ops/engine/tree_sum.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

inline constexpr size_t kVectors = kAccumulators / kDoubleLanes;

// ---- From and to memory -------------------------------------------------------------------------

// The lane type of vectors of an element type: 16-bit elements are patterns.
template <class Element>
using Raw = std::conditional_t<sizeof(Element) == 2, uint16_t, Element>;
template <class Element, class D>
using RawTag = hn::Rebind<Raw<Element>, D>;

template <class Element>
HWY_INLINE const Raw<Element>* raw(const Element* elements) {
  return reinterpret_cast<const Raw<Element>*>(elements);
}
template <class Element>
HWY_INLINE Raw<Element>* raw(Element* elements) {
  return reinterpret_cast<Raw<Element>*>(elements);
}

// Elements as floats, exactly: FLOAT, FLOAT16 and BF16.
template <class Element, class D>
HWY_INLINE hn::Vec<D> floats_of(D d, hn::Vec<RawTag<Element, D>> elements) {
  if constexpr (std::is_same_v<Element, Float16>) {
    return floats_of_float16(d, elements);
  } else if constexpr (std::is_same_v<Element, Bfloat16>) {
    return floats_of_bfloat16(d, elements);
  } else {
    return elements;
  }
}

// The nearest elements, as they lie in memory.
template <class Element, class D>
HWY_INLINE hn::Vec<RawTag<Element, D>> elements_of(D d, hn::Vec<D> floats) {
  if constexpr (std::is_same_v<Element, Float16>) {
    return nearest_float16(d, floats);
  } else if constexpr (std::is_same_v<Element, Bfloat16>) {
    return nearest_bfloat16(d, floats);
  } else {
    return floats;
  }
}

template <class Element>
HWY_INLINE Doubles to_doubles(hn::Vec<RawTag<Element, DoubleTag>> elements) {
  if constexpr (std::is_same_v<Element, double>) {
    return elements;
  } else {
    return hn::PromoteTo(DoubleTag(), floats_of<Element>(hn::Rebind<float, DoubleTag>(), elements));
  }
}

template <class Element>
HWY_INLINE Doubles load_doubles(const Element* elements) {
  return to_doubles<Element>(hn::LoadU(RawTag<Element, DoubleTag>(), raw(elements)));
}

// Lanes from `count` on are 0; nothing is read for them.
template <class Element>
HWY_INLINE Doubles load_doubles(const Element* elements, size_t count) {
  if (count == kDoubleLanes) return load_doubles(elements);
  const RawTag<Element, DoubleTag> d;
#if HWY_TARGET <= HWY_AVX3
  return to_doubles<Element>(hn::MaskedLoad(hn::FirstN(d, count), d, raw(elements)));
#else
  alignas(64) Raw<Element> buffer[kAccumulators] = {};
  std::memcpy(buffer, elements, count * sizeof(Element));
  return to_doubles<Element>(hn::Load(d, buffer));
#endif
}

template <class Element>
HWY_INLINE hn::Vec<RawTag<Element, DoubleTag>> from_doubles(Doubles values) {
  if constexpr (std::is_same_v<Element, double>) {
    return values;
  } else if constexpr (std::is_same_v<Element, float>) {
    return nearest_floats(values);
  } else if constexpr (std::is_same_v<Element, Float16>) {
    return nearest_float16(values);
  } else {
    return nearest_bfloat16(values);
  }
}

template <class Element>
HWY_INLINE void store_doubles(Doubles values, Element* elements) {
  hn::StoreU(from_doubles<Element>(values), RawTag<Element, DoubleTag>(), raw(elements));
}

// The first `count` lanes; nothing is written for the others.
template <class Element>
HWY_INLINE void store_doubles(Doubles values, Element* elements, size_t count) {
  if (count == kDoubleLanes) return store_doubles(values, elements);
  const RawTag<Element, DoubleTag> d;
#if HWY_TARGET <= HWY_AVX3
  hn::BlendedStore(from_doubles<Element>(values), hn::FirstN(d, count), d, raw(elements));
#else
  alignas(64) Raw<Element> buffer[kAccumulators];
  hn::Store(from_doubles<Element>(values), d, buffer);
  std::memcpy(static_cast<void*>(elements), buffer, count * sizeof(Element));
#endif
}

// Calls visit(first, n) for elements [0, count) in whole vectors and a last partial one.
template <class Visit>
HWY_INLINE void for_vectors(size_t count, const Visit& visit) {
  size_t i = 0;
  for (; i + kDoubleLanes <= count; i += kDoubleLanes)
    visit(i, std::integral_constant<size_t, kDoubleLanes>());
  if (i < count) visit(i, count - i);
}

// Calls visit(TypeTag<Element>{}) for the real floating dtypes.
template <class Visit>
HWY_INLINE void visit_real(aclDataType dtype, const Visit& visit) {
  if (dtype == ACL_FLOAT) {
    visit(TypeTag<float>{});
  } else if (dtype == ACL_FLOAT16) {
    visit(TypeTag<Float16>{});
  } else if (dtype == ACL_BF16) {
    visit(TypeTag<Bfloat16>{});
  } else {
    visit(TypeTag<double>{});
  }
}

// ---- Sums in the order of tree_sum.h ------------------------------------------------------------

struct Accumulators {
  Doubles vectors[kVectors];

  HWY_INLINE void clear() {
    for (Doubles& each : vectors) each = hn::Set(DoubleTag(), kNothing<double>);
  }
  HWY_INLINE void load(const double* lanes) {
    for (size_t k = 0; k < kVectors; ++k)
      vectors[k] = hn::LoadU(DoubleTag(), lanes + k * kDoubleLanes);
  }
  HWY_INLINE void store(double* lanes) const {
    for (size_t k = 0; k < kVectors; ++k)
      hn::StoreU(vectors[k], DoubleTag(), lanes + k * kDoubleLanes);
  }
};

// The accumulators of kAccumulators sums. All sums are combined at once, which takes no longer than
// combining a few.
struct AccumulatorMatrix {
  alignas(64) double lanes[kAccumulators][kAccumulators] = {};

  HWY_INLINE void clear() {
    Accumulators nothing;
    nothing.clear();
    for (auto& line : lanes) nothing.store(line);
  }

  // results[i] = the accumulators of sum i, combined in pairs, in the order of
  // AccumulatorSum::combine.
  template <class Combine>
  HWY_INLINE void combine(const Combine& pair, double* results) const {
    const hn::RebindToSigned<DoubleTag> di;
    const auto line = hn::Mul(hn::Iota(di, 0), hn::Set(di, int64_t{kAccumulators}));
    for (size_t k = 0; k < kVectors; ++k) {
      const auto column = [&](size_t lane) HWY_ATTR {
        return hn::GatherIndex(DoubleTag(), lanes[k * kDoubleLanes] + lane, line);
      };
      const auto two = [&](size_t lane) HWY_ATTR { return pair(column(lane), column(lane + 1)); };
      const auto four = [&](size_t lane) HWY_ATTR { return pair(two(lane), two(lane + 2)); };
      static_assert(kAccumulators == 8);
      hn::StoreU(pair(four(0), four(4)), DoubleTag(), results + k * kDoubleLanes);
    }
  }
  // The total of sum 0 alone, faster than total().
  HWY_INLINE double first_total() const {
    const auto two = [&](size_t lane) { return lanes[0][lane] + lanes[0][lane + 1]; };
    return (two(0) + two(2)) + (two(4) + two(6));
  }
  HWY_INLINE void total(double* sums) const {
    combine([](Doubles a, Doubles b) HWY_ATTR { return hn::Add(a, b); }, sums);
  }
};

// Adds `count` terms, the first to accumulator 0; term(first, n) is a vector of n terms.
template <class Term>
HWY_INLINE void add_terms(size_t count, const Term& term, Accumulators& lanes) {
  size_t i = 0;
  for (; i + kAccumulators <= count; i += kAccumulators) {
    for (size_t k = 0; k < kVectors; ++k) {
      const auto all = std::integral_constant<size_t, kDoubleLanes>();
      lanes.vectors[k] = hn::Add(lanes.vectors[k], term(i + k * kDoubleLanes, all));
    }
  }
  for (size_t k = 0; i < count; ++k, i += kDoubleLanes) {
    const size_t n = HWY_MIN(kDoubleLanes, count - i);
    const auto there = hn::FirstN(DoubleTag(), n);
    const auto nothing = hn::Set(DoubleTag(), kNothing<double>);
    lanes.vectors[k] = hn::Add(lanes.vectors[k], hn::IfThenElse(there, term(i, n), nothing));
  }
}

// ---- Arithmetic ---------------------------------------------------------------------------------

// a * b + c, rounded once.
HWY_INLINE Doubles mul_add(Doubles a, Doubles b, Doubles c) {
  return mul_add(DoubleTag(), a, b, c);
}

// x clamped from below or above; NaN stays NaN.
HWY_INLINE Doubles at_least(double low, Doubles x) { return larger(hn::Set(DoubleTag(), low), x); }
HWY_INLINE Doubles at_most(double high, Doubles x) {
  return smaller(hn::Set(DoubleTag(), high), x);
}

// A number as a product of two.
struct Scaled {
  Doubles value;
  Doubles power;  // of two
};

// Natural logarithm of x >= 1, to 1e-15 of the result; NaN for NaN.
HWY_INLINE Doubles logarithm_of(Doubles x) {
  return hn::IfThenElse(hn::IsNaN(x), x, log_of_positive(DoubleTag(), x));
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
