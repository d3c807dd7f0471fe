// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "ops/pooling/pooling_kernel_plane.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pooling/pooling_kernel_max.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/pooling/pooling_kernel_plane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

// All of the vector, or `count` lanes.
template <class D>
HWY_INLINE void store_lanes(D d, hn::Vec<D> values, hn::TFromD<D>* to, int64_t count) {
  if (count >= static_cast<int64_t>(hn::Lanes(d))) {
    hn::StoreU(values, d, to);
  } else {
    hn::BlendedStore(values, hn::FirstN(d, static_cast<size_t>(count)), d, to);
  }
}

// The maxima of kVectors vectors of windows that slide, from number j of a row on, of which these
// rows are in the volume.
template <size_t kVectors, class T>
HWY_INLINE void max_block(const MaxPool<T>& pool, int64_t j, const WindowRows& rows,
                          const MaxScratch<T>& scratch, T* results) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  using Index = typename MaxPool<T>::Index;
  constexpr size_t kLanes = hn::MaxLanes(d);
  const PhasedPlane& columns = *pool.phased;
  const int64_t top = rows.front + rows.top;
  const auto lowest = hn::Set(d, -std::numeric_limits<T>::infinity());
  hn::Vec<decltype(di)> starts[kVectors], places[kVectors];
  hn::Vec<decltype(d)> best[kVectors];
  for (size_t v = 0; v < kVectors; ++v) {
    starts[v] = hn::LoadU(di, pool.starts.data() + j + v * kLanes);
    places[v] = hn::Add(hn::LoadU(di, pool.lefts.data() + j + v * kLanes),
                        hn::Set(di, static_cast<Index>(top * columns.width)));
    best[v] = lowest;
  }
  for (int64_t slice = rows.front; slice < rows.back; slice += rows.slice_stride) {
    for (int64_t h = slice + rows.top; h < slice + rows.bottom; h += rows.stride) {
      const T* const row = scratch.phases + h * columns.row + j;
      for (const PhasedPlane::Tap& tap : columns.taps) {
        const auto place = hn::Set(di, static_cast<Index>(h * columns.width + tap.column));
        for (size_t v = 0; v < kVectors; ++v) {
          auto x = hn::LoadU(d, row + tap.place + v * kLanes);
          if (!tap.has(j + static_cast<int64_t>(v * kLanes), kLanes)) {
            const auto column = hn::Add(starts[v], hn::Set(di, static_cast<Index>(tap.column)));
            x = hn::IfThenElse(hn::RebindMask(d, is_inside(di, column, columns.width)), x, lowest);
          }
          // The first that is larger, or a NaN; nothing comes after a NaN.
          const auto wins = hn::AndNot(hn::Le(x, best[v]), hn::Eq(best[v], best[v]));
          best[v] = hn::IfThenElse(wins, x, best[v]);
          places[v] =
              hn::IfThenElse(hn::RebindMask(di, wins), hn::Add(starts[v], place), places[v]);
        }
      }
    }
  }
  for (size_t v = 0; v < kVectors; ++v) {
    const int64_t at = j + static_cast<int64_t>(v * kLanes);
    if (at < columns.count) store_lanes(d, best[v], results + at, columns.count - at);
    hn::StoreU(places[v], di, scratch.places + at);
  }
}

// Of windows that do not slide along the columns: one by one.
template <class T, class Index>
HWY_INLINE void max_uneven_row(const MaxPool<T>& pool, const T* in, int64_t row_stride,
                               const WindowRows& rows, T* results, Index* places) {
  const AxisWindows& columns = pool.windows.columns;
  const int64_t width = pool.size.width;
  for (size_t j = 0; j < columns.begin.size(); ++j) {
    T best = -std::numeric_limits<T>::infinity();
    int64_t place = kNoPlace;
    for (int64_t slice = rows.front; slice < rows.back; slice += rows.slice_stride) {
      for (int64_t h = slice + rows.top; h < slice + rows.bottom; h += rows.stride) {
        const T* const line = in + h * row_stride;
        for (int64_t x = columns.begin[j]; x < columns.end[j]; ++x) {
          if (place >= 0 && (line[x] <= best || best != best)) continue;
          best = line[x];
          place = h * width + x;
        }
      }
    }
    results[j] = best;
    places[j] = static_cast<Index>(place);
  }
}

template <class T, class Index>
HWY_INLINE void max_plane(const MaxPool<T>& pool, const T* in, int64_t row_stride,
                          const MaxScratch<T>& scratch, T* results, Index* places) {
  const int64_t count = pool.windows.columns.count();
  if (pool.phased) split_plane(*pool.phased, in, row_stride, scratch.phases);
  for_window_rows(pool.windows, pool.size.height, [&](const WindowRows& rows, size_t) HWY_ATTR {
    if (pool.phased) {
      for_blocks(count, hn::Lanes(hn::ScalableTag<T>()), [&](int64_t j, auto vectors) HWY_ATTR {
        max_block<vectors()>(pool, j, rows, scratch, results);
      });
      const auto* HWY_RESTRICT from = scratch.places;
      Index* HWY_RESTRICT to = places;
      for (int64_t j = 0; j < count; ++j) to[j] = static_cast<Index>(from[j]);
      if (rows.is_empty()) std::fill_n(places, count, static_cast<Index>(kNoPlace));
      for (const int64_t j : pool.empties) places[j] = static_cast<Index>(kNoPlace);
    } else {
      max_uneven_row(pool, in, row_stride, rows, results, places);
    }
    results += count;
    places += count;
  });
}

void MaxPlane32(const MaxPool<float>& pool, const float* in, int64_t row_stride,
                const MaxScratch<float>& scratch, float* results, int32_t* places) {
  max_plane(pool, in, row_stride, scratch, results, places);
}
void MaxPlane64(const MaxPool<float>& pool, const float* in, int64_t row_stride,
                const MaxScratch<float>& scratch, float* results, int64_t* places) {
  max_plane(pool, in, row_stride, scratch, results, places);
}
void MaxPlaneOfDoubles(const MaxPool<double>& pool, const double* in, int64_t row_stride,
                       const MaxScratch<double>& scratch, double* results, int64_t* places) {
  max_plane(pool, in, row_stride, scratch, results, places);
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(MaxPlane32);
HWY_EXPORT(MaxPlane64);
HWY_EXPORT(MaxPlaneOfDoubles);

void max_pool_plane(const MaxPool<float>& pool, const float* in, int64_t row_stride,
                    const MaxScratch<float>& scratch, float* results, int32_t* places) {
  HWY_DYNAMIC_DISPATCH(MaxPlane32)(pool, in, row_stride, scratch, results, places);
}
void max_pool_plane(const MaxPool<float>& pool, const float* in, int64_t row_stride,
                    const MaxScratch<float>& scratch, float* results, int64_t* places) {
  HWY_DYNAMIC_DISPATCH(MaxPlane64)(pool, in, row_stride, scratch, results, places);
}
void max_pool_plane(const MaxPool<double>& pool, const double* in, int64_t row_stride,
                    const MaxScratch<double>& scratch, double* results, int64_t* places) {
  HWY_DYNAMIC_DISPATCH(MaxPlaneOfDoubles)(pool, in, row_stride, scratch, results, places);
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
