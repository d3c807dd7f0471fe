// SPDX-License-Identifier: Apache-2.0
// Per-target: lines of a matrix that become its columns. Included by kernel files inside Highway's
// foreach_target loop.
#if defined(ACLGRAD_OPS_ENGINE_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_TRANSPOSE_INL_H_
#undef ACLGRAD_OPS_ENGINE_TRANSPOSE_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_TRANSPOSE_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t with_bits_reversed(size_t i, size_t count) {
  size_t reversed = 0;
  for (size_t bit = 1; bit < count; bit *= 2, i /= 2) reversed = 2 * reversed + i % 2;
  return reversed;
}

#if HWY_TARGET != HWY_SCALAR
// As many elements as 16 bytes hold from each of several lines, that distance apart.
template <class D, class T>
HWY_INLINE hn::Vec<D> load_pieces(D d, const T* from, ptrdiff_t distance) {
  if constexpr (hn::MaxLanes(D()) * sizeof(T) == 16) {
    return hn::LoadU(d, from);
  } else {
    const hn::Half<D> half;
    constexpr auto kPieces = static_cast<ptrdiff_t>(hn::MaxLanes(half) * sizeof(T) / 16);
    return hn::Combine(d, load_pieces(half, from + kPieces * distance, distance),
                       load_pieces(half, from, distance));
  }
}

// Interleaves pairs of vectors that lie kApart from each other, in units of kApart elements; then
// those twice as far apart. In the end each 16 bytes are a column of a block, and the order of the
// vectors follows the bits of their numbers reversed.
template <size_t kApart, class D, size_t kCount>
HWY_INLINE void interleave(D d, hn::Vec<D> (&v)[kCount]) {
  if constexpr (kApart < kCount) {
    const hn::Repartition<hwy::UnsignedFromSize<kApart * sizeof(hn::TFromD<D>)>, D> unit;
    for (size_t i = 0; i < kCount; ++i) {
      if ((i & kApart) != 0) continue;
      const auto a = hn::BitCast(unit, v[i]);
      const auto b = hn::BitCast(unit, v[i + kApart]);
      v[i] = hn::BitCast(d, hn::InterleaveLower(unit, a, b));
      v[i + kApart] = hn::BitCast(d, hn::InterleaveUpper(unit, a, b));
    }
    interleave<2 * kApart>(d, v);
  }
}

// to[l * width + j] = from[j * stride + l] for as many lines j as the vectors have lanes and as
// many l as 16 bytes hold elements.
template <class D, class T>
HWY_INLINE void transpose_piece(D d, const T* from, ptrdiff_t stride, T* to, ptrdiff_t width) {
  constexpr size_t kDeep = 16 / sizeof(T);
  hn::Vec<D> v[kDeep];
  for (size_t k = 0; k < kDeep; ++k) {
    v[k] = load_pieces(d, from + static_cast<ptrdiff_t>(k) * stride,
                       static_cast<ptrdiff_t>(kDeep) * stride);
  }
  interleave<1>(d, v);
  for (size_t k = 0; k < kDeep; ++k) {
    hn::StoreU(v[k], d, to + static_cast<ptrdiff_t>(with_bits_reversed(k, kDeep)) * width);
  }
}

// As many lines from number j on as there are whole vectors of them; returns the next one.
template <class D, class T>
HWY_INLINE int64_t transpose_vectors(D d, const T* from, int64_t stride, int64_t j, int64_t lines,
                                     int64_t length, T* to, int64_t width) {
  constexpr int64_t kDeep = 16 / sizeof(T);
  constexpr auto kLanes = static_cast<int64_t>(hn::MaxLanes(D()));
  for (; j + kLanes <= lines; j += kLanes) {
    int64_t l = 0;
    for (; l + kDeep <= length; l += kDeep) {
      transpose_piece(d, from + j * stride + l, stride, to + l * width + j, width);
    }
    for (; l < length; ++l) {
      for (int64_t i = j; i < j + kLanes; ++i) to[l * width + i] = from[i * stride + l];
    }
  }
  return j;
}
#endif

// to[l * width + j] = from[j * stride + l] for j < lines, l < length.
template <class T>
void transpose_lines(const T* from, int64_t stride, int64_t lines, int64_t length, T* to,
                     int64_t width) {
  int64_t j = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<T> d;
  j = transpose_vectors(d, from, stride, j, lines, length, to, width);
  const hn::FixedTag<T, 16 / sizeof(T)> small;
  j = transpose_vectors(small, from, stride, j, lines, length, to, width);
#endif
  for (; j < lines; ++j) {
    for (int64_t l = 0; l < length; ++l) to[l * width + j] = from[j * stride + l];
  }
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
