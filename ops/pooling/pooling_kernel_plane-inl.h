// SPDX-License-Identifier: Apache-2.0
// Per-target: planes in phases, and vectors of the windows of a row. Included by kernel files
// inside Highway's foreach_target loop.
#if defined(ACLGRAD_OPS_POOLING_POOLING_KERNEL_PLANE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_POOLING_POOLING_KERNEL_PLANE_INL_H_
#undef ACLGRAD_OPS_POOLING_POOLING_KERNEL_PLANE_INL_H_
#else
#define ACLGRAD_OPS_POOLING_POOLING_KERNEL_PLANE_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "ops/pooling/pooling_kernel_plane.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Elements 0, 2, ... and 1, 3, ... of `count`.
template <class T>
HWY_INLINE void split_pairs(const T* from, int64_t count, T* even, T* odd) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t pairs = count / 2;
  int64_t i = 0;
  for (; i + lanes <= pairs; i += lanes) {
    hn::Vec<decltype(d)> a, b;
    hn::LoadInterleaved2(d, from + 2 * i, a, b);
    hn::StoreU(a, d, even + i);
    hn::StoreU(b, d, odd + i);
  }
  for (; i < pairs; ++i) {
    even[i] = from[2 * i];
    odd[i] = from[2 * i + 1];
  }
  if (count % 2 != 0) even[pairs] = from[count - 1];
}

template <class T>
HWY_INLINE void split_row(const PhasedPlane& to, const T* from, int64_t count, T* phases) {
  const int64_t step = to.height * to.row;
  if (to.stride == 1) {
    std::copy_n(from, count, phases);
  } else if (to.stride == 2) {
    split_pairs(from, count, phases, phases + step);
  } else {
    for (int64_t p = 0; p < HWY_MIN(to.stride, count); ++p) {
      T* const phase = phases + p * step;
      for (int64_t i = 0, x = p; x < count; ++i, x += to.stride) phase[i] = from[x];
    }
  }
}

template <class T>
HWY_INLINE void split_plane(const PhasedPlane& to, const T* from, int64_t row_stride, T* phases) {
  phases += to.before;
  // Rows that join, in both, are one.
  if (row_stride == to.width && to.width % to.stride == 0) {
    return split_row(to, from, to.height * to.width, phases);
  }
  for (int64_t h = 0; h < to.height; ++h) {
    split_row(to, from + h * row_stride, to.width, phases + h * to.row);
  }
}

// Of a tap and the windows that begin at these columns, whether it is in the plane.
template <class DI>
HWY_INLINE hn::Mask<DI> is_inside(DI di, hn::Vec<DI> columns, int64_t width) {
  using Index = hn::TFromD<DI>;
  return hn::And(hn::Gt(columns, hn::Set(di, static_cast<Index>(-1))),
                 hn::Lt(columns, hn::Set(di, static_cast<Index>(width))));
}

// The rows of a volume that windows `z` of the slices and `i` of the rows have: rows [top, bottom)
// behind the first one, `front` and so on, of each slice.
struct WindowRows {
  int64_t front, back, slice_stride, top, bottom, stride;

  WindowRows(const PoolWindows& windows, size_t z, size_t i, int64_t height)
      : front(windows.slices.begin[z] * height),
        back(windows.slices.end[z] * height),
        slice_stride(windows.slices.dilation() * height),
        top(windows.rows.begin[i]),
        bottom(windows.rows.end[i]),
        stride(windows.rows.dilation()) {}

  bool is_empty() const { return front >= back || top >= bottom; }
};

// Calls visit(rows, number of the row of windows) for all of them, slice by slice.
template <class Visit>
HWY_INLINE void for_window_rows(const PoolWindows& windows, int64_t height, const Visit& visit) {
  size_t number = 0;
  for (size_t z = 0; z < windows.slices.begin.size(); ++z) {
    for (size_t i = 0; i < windows.rows.begin.size(); ++i) {
      visit(WindowRows(windows, z, i, height), number++);
    }
  }
}

// Calls visit(first, number of vectors) for elements [0, count): several vectors at once, as one
// alone would wait for itself. The last ones may reach beyond the end.
template <class Visit>
HWY_INLINE void for_blocks(int64_t count, size_t lanes, const Visit& visit) {
  const auto step = static_cast<int64_t>(lanes);
  int64_t j = 0;
  for (; j + 2 * step < count; j += 4 * step) visit(j, std::integral_constant<size_t, 4>());
  if (j + step < count) return visit(j, std::integral_constant<size_t, 2>());
  if (j < count) visit(j, std::integral_constant<size_t, 1>());
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
