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

#include "ops/engine/dtype/lanes-inl.h"
#include "ops/engine/rowwise.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

// ---- Rows ---------------------------------------------------------------------------------------

// The k-th tensor of rows of a block.
template <class Stored>
struct StoredRows {
  Stored* first;
  int64_t stride;

  StoredRows(const RowBlock& block, size_t k)
      : first(static_cast<Stored*>(block.rows[k].data)), stride(block.rows[k].stride) {}
  HWY_INLINE Stored* operator[](size_t row) const {
    return first + static_cast<int64_t>(row) * stride;
  }
};

// Rows that are worked on together.
constexpr size_t kGroup = kSumLanes;

// Calls visit(first, count, lanes) for groups of at most kGroup rows, and of at most kNearElements
// elements if they are several: what a pass over them has read is in a near cache in the next pass.
template <class Visit>
HWY_INLINE void for_groups(const RowBlock& block, const Visit& visit) {
  const size_t group = HWY_MIN(kGroup, HWY_MAX(size_t{1}, kNearElements / block.length));
  LaneMatrix lanes;  // for the visit's reductions
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
    for (size_t k = 0; k < kGroup; k += kWide) {
      hn::Store(f(hn::Load(Wide(), values + k)), Wide(), values + k);
    }
  }
};

// sums[k] = the sum along row k of `count` rows, of which add(k, first, n, lanes) adds the terms
// [first, first + n) to lanes.
template <class Add>
HWY_INLINE void sum_rows(size_t count, size_t length, LaneMatrix& matrix, const Add& add,
                         GroupNumbers& sums) {
  for (size_t first = 0; first < length; first += kSumChunk) {
    for (size_t k = 0; k < count; ++k) {
      Lanes lanes;
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

using Narrow = hn::CappedTag<float, 2 * kSumLanes>;
using NarrowVec = hn::Vec<Narrow>;
inline constexpr size_t kNarrow = hn::MaxLanes(Narrow());

template <class Stored>
HWY_INLINE NarrowVec load_narrow(const Stored* elements) {
  return floats_of<Stored>(Narrow(), hn::LoadU(RawTag<Stored, Narrow>(), raw(elements)));
}

// Lanes from `count` on hold 0; nothing is read for them.
template <class Stored>
HWY_INLINE NarrowVec load_narrow(const Stored* elements, size_t count) {
  if (count == kNarrow) return load_narrow(elements);
  const RawTag<Stored, Narrow> d;
#if HWY_TARGET <= HWY_AVX3
  return floats_of<Stored>(Narrow(), hn::MaskedLoad(hn::FirstN(d, count), d, raw(elements)));
#else
  alignas(64) Raw<Stored> held[kNarrow] = {};
  std::memcpy(held, elements, count * sizeof(Stored));
  return floats_of<Stored>(Narrow(), hn::Load(d, held));
#endif
}

// The nearest 16-bit elements. A NaN must come from such elements or from an operation: its lower
// half then is 0.
template <class Stored>
HWY_INLINE hn::Vec<RawTag<Stored, Narrow>> nearest_patterns(NarrowVec values) {
  if constexpr (std::is_same_v<Stored, Half>) {
    return nearest_halves(Narrow(), values);
  } else {
    const auto words = bfloat_words(Narrow(), values);
    return hn::TruncateTo(hn::Rebind<uint16_t, Narrow>(), hn::ShiftRight<16>(words));
  }
}

template <class Stored>
HWY_INLINE void store_narrow(NarrowVec values, Stored* elements, size_t count) {
  const RawTag<Stored, Narrow> d;
  if (count == kNarrow) return hn::StoreU(nearest_patterns<Stored>(values), d, raw(elements));
#if HWY_TARGET <= HWY_AVX3
  hn::BlendedStore(nearest_patterns<Stored>(values), hn::FirstN(d, count), d, raw(elements));
#else
  alignas(64) Raw<Stored> held[kNarrow];
  hn::Store(nearest_patterns<Stored>(values), d, held);
  std::memcpy(static_cast<void*>(elements), held, count * sizeof(Stored));
#endif
}

// Calls visit(first, n) for elements [0, count) in whole vectors and a last part of one.
template <class Visit>
HWY_INLINE void for_narrow_vectors(size_t count, const Visit& visit) {
  size_t i = 0;
  for (; i + kNarrow <= count; i += kNarrow) visit(i, std::integral_constant<size_t, kNarrow>());
  if (i < count) visit(i, count - i);
}

// out[i] = f(i, n), a vector of double with n elements in it. 16-bit results are rounded to float
// first, which costs 2^-13 of their last place at most, and stored in vectors twice as wide.
template <class Stored, class F>
HWY_INLINE void map_row(size_t length, Stored* out, const F& f) {
  if constexpr (sizeof(Stored) == 2) {
    for_narrow_vectors(length, [&](size_t i, auto n) HWY_ATTR {
#if HWY_TARGET == HWY_SCALAR
      store_narrow(nearest_floats(f(i, n)), out + i, n);
#else
      constexpr auto kAll = std::integral_constant<size_t, kWide>();
      const auto pair = [&](auto low, auto high) HWY_ATTR {
        return hn::Combine(Narrow(), nearest_floats(f(i + kWide, high)), nearest_floats(f(i, low)));
      };
      if (n == kNarrow) return store_narrow(pair(kAll, kAll), out + i, n);
      if (n > kWide) return store_narrow(pair(kAll, n - kWide), out + i, n);
      store_narrow(hn::ZeroExtendVector(Narrow(), nearest_floats(f(i, n))), out + i, n);
#endif
    });
    return;
  }
  for_vectors(length, [&](size_t i, auto n) HWY_ATTR { store_wide(f(i, n), out + i, n); });
}

// As add_terms, with terms in float.
template <class Term>
HWY_INLINE void add_narrow_terms(size_t count, const Term& term, Lanes& lanes) {
  // The vector's first lane is lane `first` of the sum.
  const auto add = [&](size_t first, NarrowVec terms) HWY_ATTR {
    WideVec& low = lanes.part[first / kWide % kParts];
#if HWY_TARGET == HWY_SCALAR
    low = hn::Add(low, hn::PromoteTo(Wide(), terms));
#else
    const hn::Rebind<float, Wide> half;
    low = hn::Add(low, hn::PromoteTo(Wide(), hn::LowerHalf(half, terms)));
    WideVec& high = lanes.part[(first / kWide + 1) % kParts];
    high = hn::Add(high, hn::PromoteTo(Wide(), hn::UpperHalf(half, terms)));
#endif
  };
  constexpr size_t kStep = HWY_MAX(kNarrow, kSumLanes);
  size_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    for (size_t k = 0; k < kStep; k += kNarrow) {
      add(k, term(i + k, std::integral_constant<size_t, kNarrow>()));
    }
  }
  for (size_t k = 0; i < count; k += kNarrow, i += kNarrow) {
    const size_t n = HWY_MIN(kNarrow, count - i);
    const auto nothing = hn::Set(Narrow(), static_cast<float>(kNothing<double>));
    add(k, hn::IfThenElse(hn::FirstN(Narrow(), n), term(i, n), nothing));
  }
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
