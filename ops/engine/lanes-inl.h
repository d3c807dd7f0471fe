// SPDX-License-Identifier: Apache-2.0
// Per-target: dense rows of the compute type float or double, a vector at a time. Included by
// kernel files inside Highway's foreach_target loop.
#if defined(ACLGRAD_OPS_ENGINE_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_LANES_INL_H_
#undef ACLGRAD_OPS_ENGINE_LANES_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_LANES_INL_H_
#endif

#include <cstring>
#include <type_traits>

#include "ops/engine/rowwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

template <class T>
using LaneTag = std::conditional_t<sizeof(T) == 4, RowFloatTag, DoubleTag>;
template <class T>
using LanesOf = hn::Vec<LaneTag<T>>;

// The first n lanes; nothing is read for the others, which are 0.
template <class T>
HWY_INLINE LanesOf<T> load_lanes(const T* from, size_t n) {
  if constexpr (sizeof(T) == 4) {
    return load_floats(from, n);
  } else {
    return load_doubles(from, n);
  }
}

// The first n lanes; nothing is written for the others.
template <class T>
HWY_INLINE void store_lanes(LanesOf<T> values, T* to, size_t n) {
  const LaneTag<T> d;
  if (n == hn::MaxLanes(d)) return hn::StoreU(values, d, to);
#if HWY_TARGET <= HWY_AVX3
  hn::BlendedStore(values, hn::FirstN(d, n), d, to);
#else
  alignas(64) T buffer[hn::MaxLanes(d)];
  hn::Store(values, d, buffer);
  std::memcpy(to, buffer, n * sizeof(T));
#endif
}

// Calls visit(first, n) for elements [0, count) in whole vectors and a last partial one.
template <class T, class Visit>
HWY_INLINE void for_lanes(int64_t count, const Visit& visit) {
  if constexpr (sizeof(T) == 4) {
    for_float_vectors(static_cast<size_t>(count), visit);
  } else {
    for_vectors(static_cast<size_t>(count), visit);
  }
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
