// SPDX-License-Identifier: Apache-2.0
// Per-target: what kernels of the row-wise engine are made of: groups of rows that stay in cache,
// reductions along each row of a group in the order of tree_sum.h, maps over a row. Included by
// kernel files inside Highway's foreach_target loop.
//
// 16-bit rows may be worked on in float, in vectors twice as wide as those of double; their sums
// are still added in double, lane by lane of tree_sum.h.
#if defined(ACLGRAD_OPS_ENGINE_ROWWISE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_ROWWISE_INL_H_
#undef ACLGRAD_OPS_ENGINE_ROWWISE_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_ROWWISE_INL_H_
#endif

#include <algorithm>
#include <limits>
#include <type_traits>

#include "ops/engine/dtype/doubles-inl.h"
#include "ops/engine/rowwise.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

// ---- Rows ---------------------------------------------------------------------------------------

// The k-th tensor of rows of a block.
template <class Element>
struct NativeRows {
  Element* first;
  int64_t stride;

  NativeRows(const RowBlock& block, size_t k)
      : first(static_cast<Element*>(block.rows[k].data)), stride(block.rows[k].stride) {}
  HWY_INLINE Element* operator[](size_t row) const {
    return first + static_cast<int64_t>(row) * stride;
  }
};

// Rows that are worked on together.
constexpr size_t kGroup = kAccumulators;

// Calls visit(first, count, lanes) for groups of at most kGroup rows, and of at most kNearElements
// elements if they are several: what a pass over them has read is in a near cache in the next pass.
template <class Visit>
HWY_INLINE void for_groups(const RowBlock& block, const Visit& visit) {
  const size_t group = HWY_MIN(kGroup, HWY_MAX(size_t{1}, kNearElements / block.length));
  AccumulatorMatrix lanes;  // for the visit's reductions
  for (size_t first = 0; first < block.count; first += group) {
    visit(first, HWY_MIN(group, block.count - first), lanes);
  }
}

// A number for each row of a group.
struct GroupNumbers {
  alignas(64) double values[kGroup] = {};

  HWY_INLINE double operator[](size_t k) const { return values[k]; }

  // values[k] = f(vector of values), in all lanes.
  template <class F>
  HWY_INLINE void update(const F& f) {
    for (size_t k = 0; k < kGroup; k += kDoubleLanes) {
      hn::Store(f(hn::Load(DoubleTag(), values + k)), DoubleTag(), values + k);
    }
  }
};

// sums[k] = the sum along row k of `count` rows, of which add(k, first, n, lanes) adds the terms
// [first, first + n) to lanes.
template <class Add>
HWY_INLINE void sum_rows(size_t count, size_t length, AccumulatorMatrix& matrix, const Add& add,
                         GroupNumbers& sums) {
  for (size_t first = 0; first < length; first += kSumChunk) {
    for (size_t k = 0; k < count; ++k) {
      Accumulators lanes;
      lanes.clear();
      add(k, first, HWY_MIN(size_t{kSumChunk}, length - first), lanes);
      lanes.store(matrix.lanes[k]);
    }
    GroupNumbers chunk;
    matrix.total(first == 0 ? sums.values : chunk.values);
    for (size_t k = 0; first > 0 && k < kGroup; ++k) sums.values[k] += chunk[k];
  }
}

// ---- In float -----------------------------------------------------------------------------------

using RowFloatTag = hn::CappedTag<float, 2 * kAccumulators>;
using RowFloats = hn::Vec<RowFloatTag>;
inline constexpr size_t kRowFloatLanes = hn::MaxLanes(RowFloatTag());

template <class Element>
HWY_INLINE RowFloats load_floats(const Element* elements) {
  return floats_of<Element>(RowFloatTag(),
                            hn::LoadU(RawTag<Element, RowFloatTag>(), raw(elements)));
}

// Lanes from `count` on are 0; nothing is read for them.
template <class Element>
HWY_INLINE RowFloats load_floats(const Element* elements, size_t count) {
  if (count == kRowFloatLanes) return load_floats(elements);
  const RawTag<Element, RowFloatTag> d;
#if HWY_TARGET <= HWY_AVX3
  return floats_of<Element>(RowFloatTag(), hn::MaskedLoad(hn::FirstN(d, count), d, raw(elements)));
#else
  alignas(64) Raw<Element> buffer[kRowFloatLanes] = {};
  std::memcpy(buffer, elements, count * sizeof(Element));
  return floats_of<Element>(RowFloatTag(), hn::Load(d, buffer));
#endif
}

template <class Element>
HWY_INLINE void store_floats(RowFloats values, Element* elements, size_t count) {
  const RawTag<Element, RowFloatTag> d;
  if (count == kRowFloatLanes)
    return hn::StoreU(elements_of<Element>(RowFloatTag(), values), d, raw(elements));
#if HWY_TARGET <= HWY_AVX3
  hn::BlendedStore(elements_of<Element>(RowFloatTag(), values), hn::FirstN(d, count), d,
                   raw(elements));
#else
  alignas(64) Raw<Element> buffer[kRowFloatLanes];
  hn::Store(elements_of<Element>(RowFloatTag(), values), d, buffer);
  std::memcpy(static_cast<void*>(elements), buffer, count * sizeof(Element));
#endif
}

// Calls visit(first, n) for elements [0, count) in whole vectors and a last partial one.
template <class Visit>
HWY_INLINE void for_float_vectors(size_t count, const Visit& visit) {
  size_t i = 0;
  for (; i + kRowFloatLanes <= count; i += kRowFloatLanes)
    visit(i, std::integral_constant<size_t, kRowFloatLanes>());
  if (i < count) visit(i, count - i);
}

// out[i] = f(i, n), a vector of double with n elements in it. 16-bit results are rounded to float
// first, which costs 2^-13 of their last place at most, and stored in vectors twice as wide.
template <class Element, class F>
HWY_INLINE void map_row(size_t length, Element* out, const F& f) {
  if constexpr (sizeof(Element) == 2) {
    for_float_vectors(length, [&](size_t i, auto n) HWY_ATTR {
#if HWY_TARGET == HWY_SCALAR
      store_floats(nearest_floats(f(i, n)), out + i, n);
#else
      const auto store = [&](auto low, auto high) HWY_ATTR {
        const auto upper = nearest_floats(f(i + kDoubleLanes, high));
        store_floats(hn::Combine(RowFloatTag(), upper, nearest_floats(f(i, low))), out + i, n);
      };
      if constexpr (std::is_same_v<decltype(n), size_t>) {
        const size_t low = HWY_MIN(n, kDoubleLanes);
        store(low, n - low);
      } else {
        constexpr auto kAll = std::integral_constant<size_t, kDoubleLanes>();
        store(kAll, kAll);
      }
#endif
    });
    return;
  }
  for_vectors(length, [&](size_t i, auto n) HWY_ATTR { store_doubles(f(i, n), out + i, n); });
}

// As add_terms, with terms in float.
template <class Term>
HWY_INLINE void add_float_terms(size_t count, const Term& term, Accumulators& lanes) {
  // The vector's first lane is lane `first` of the sum.
  const auto add = [&](size_t first, RowFloats terms) HWY_ATTR {
    Doubles& low = lanes.vectors[first / kDoubleLanes % kVectors];
#if HWY_TARGET == HWY_SCALAR
    low = hn::Add(low, hn::PromoteTo(DoubleTag(), terms));
#else
    const hn::Rebind<float, DoubleTag> half;
    low = hn::Add(low, hn::PromoteTo(DoubleTag(), hn::LowerHalf(half, terms)));
    Doubles& high = lanes.vectors[(first / kDoubleLanes + 1) % kVectors];
    high = hn::Add(high, hn::PromoteTo(DoubleTag(), hn::UpperHalf(half, terms)));
#endif
  };
  constexpr size_t kStep = HWY_MAX(kRowFloatLanes, kAccumulators);
  size_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    for (size_t k = 0; k < kStep; k += kRowFloatLanes) {
      add(k, term(i + k, std::integral_constant<size_t, kRowFloatLanes>()));
    }
  }
  for (size_t k = 0; i < count; k += kRowFloatLanes, i += kRowFloatLanes) {
    const size_t n = HWY_MIN(kRowFloatLanes, count - i);
    const auto nothing = hn::Set(RowFloatTag(), static_cast<float>(kNothing<double>));
    add(k, hn::IfThenElse(hn::FirstN(RowFloatTag(), n), term(i, n), nothing));
  }
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
