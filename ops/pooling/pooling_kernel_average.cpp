// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "ops/pooling/pooling_kernel_plane.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pooling/pooling_kernel_average.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/dtype/doubles-inl.h"
#include "ops/pooling/pooling_kernel_plane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

// Of windows that slide, kVectors vectors from number j of a row on, of which these rows are in the
// volume.
template <size_t kVectors, class T>
HWY_INLINE void average_block(const AveragePool& pool, int64_t j, const WindowRows& rows,
                              double factor, const T* phases, T* results) {
  const DoubleTag d;
  const PhasedPlane& columns = *pool.phased;
  Doubles sums[kVectors];
  for (size_t v = 0; v < kVectors; ++v) sums[v] = hn::Zero(d);
  for (int64_t slice = rows.front; slice < rows.back; slice += rows.slice_stride) {
    for (int64_t h = slice + rows.top; h < slice + rows.bottom; h += rows.stride) {
      const T* const row = phases + h * columns.row + j;
      for (const PhasedPlane::Tap& tap : columns.taps) {
        const auto column = hn::Set(d, static_cast<double>(tap.column));
        for (size_t v = 0; v < kVectors; ++v) {
          Doubles x = load_doubles(row + tap.place + v * kDoubleLanes);
          if (!tap.has(j + static_cast<int64_t>(v * kDoubleLanes), kDoubleLanes)) {
            const auto start = hn::LoadU(d, pool.starts.data() + j + v * kDoubleLanes);
            x = hn::IfThenElseZero(is_inside(d, hn::Add(start, column), columns.width), x);
          }
          sums[v] = hn::Add(sums[v], x);
        }
      }
    }
  }
  for (size_t v = 0; v < kVectors; ++v) {
    const int64_t at = j + static_cast<int64_t>(v * kDoubleLanes);
    if (at >= columns.count) break;
    const auto share = hn::Mul(hn::Set(d, factor), hn::LoadU(d, pool.column_factors.data() + at));
    store_doubles(hn::Mul(sums[v], share), results + at,
                  HWY_MIN(kDoubleLanes, static_cast<size_t>(columns.count - at)));
  }
}

// Of windows that do not slide: first down the rows of the window, then across.
template <class T>
HWY_INLINE void average_uneven_row(const AveragePool& pool, const T* in, int64_t row_stride,
                                   const WindowRows& rows, double factor, double* HWY_RESTRICT sums,
                                   T* results) {
  const int64_t width = pool.size.width;
  const AxisWindows& columns = pool.windows.columns;
  std::fill_n(sums, width, 0.0);
  for (int64_t slice = rows.front; slice < rows.back; slice += rows.slice_stride) {
    for (int64_t h = slice + rows.top; h < slice + rows.bottom; h += rows.stride) {
      const T* HWY_RESTRICT line = in + h * row_stride;
      for (int64_t x = 0; x < width; ++x) sums[x] += static_cast<double>(line[x]);
    }
  }
  for (size_t j = 0; j < columns.begin.size(); ++j) {
    double sum = 0;
    for (int64_t x = columns.begin[j]; x < columns.end[j]; ++x) sum += sums[x];
    results[j] = static_cast<T>(sum * (factor * pool.column_factors[j]));
  }
}

template <class T>
HWY_INLINE void average_plane(const AveragePool& pool, const T* in, int64_t row_stride, T* phases,
                              double* row, T* results) {
  if (pool.phased) split_plane(*pool.phased, in, row_stride, phases);
  for_window_rows(pool.windows, pool.size.height, [&](const WindowRows& rows, size_t r) HWY_ATTR {
    const double factor = pool.row_factors[r];
    T* const to = results + static_cast<int64_t>(r) * pool.count();
    if (pool.phased) {
      for_blocks(pool.count(), kDoubleLanes, [&](int64_t j, auto vectors) HWY_ATTR {
        average_block<vectors()>(pool, j, rows, factor, phases, to);
      });
    } else {
      average_uneven_row(pool, in, row_stride, rows, factor, row, to);
    }
  });
}

void AveragePlaneOfFloats(const AveragePool& pool, const float* in, int64_t row_stride,
                          float* phases, double* row, float* results) {
  average_plane(pool, in, row_stride, phases, row, results);
}
void AveragePlaneOfDoubles(const AveragePool& pool, const double* in, int64_t row_stride,
                           double* phases, double* row, double* results) {
  average_plane(pool, in, row_stride, phases, row, results);
}

// ---- Gradients of averages ----------------------------------------------------------------------

// A row that these windows are in. Writes up to kPoolSlack elements more.
template <class T>
HWY_INLINE void spread_row(const AverageSpread& spread, const ShareRows& windows, double* sums,
                           T* joined) {
  const DoubleTag d;
  const int64_t length = spread.length;
  const auto sum_of = [&](int64_t r, int64_t m) HWY_ATTR {
    Doubles sum = hn::Zero(d);
    for (const double* const row : windows) {
      for (const int64_t window : spread.firsts[static_cast<size_t>(r)]) {
        sum = hn::Add(sum, hn::LoadU(d, row + m + window));
      }
    }
    return sum;
  };
  constexpr auto kStep = static_cast<int64_t>(kDoubleLanes);
  if (spread.stride == 1) {
    for (int64_t m = 0; m < length; m += kStep) store_doubles(sum_of(0, m), joined + m);
  } else if (spread.stride == 2) {
    for (int64_t m = 0; m < length; m += kStep) {
      hn::StoreInterleaved2(from_doubles<T>(sum_of(0, m)), from_doubles<T>(sum_of(1, m)),
                            RawTag<T, DoubleTag>(), joined + 2 * m);
    }
  } else {
    for (int64_t r = 0; r < spread.stride; ++r) {
      for (int64_t m = 0; m < length; m += kStep) {
        hn::StoreU(sum_of(r, m), d, sums + m);
      }
      for (int64_t m = 0; m < length; ++m) {
        joined[m * spread.stride + r] = static_cast<T>(sums[m]);
      }
    }
  }
}

// Of windows that do not slide along the columns.
template <class T>
HWY_INLINE void spread_uneven_row(const AverageSpread& spread, const ShareRows& windows,
                                  double* sums, T* joined) {
  const int64_t width = spread.pool.size.width;
  const AxisWindows& columns = spread.pool.windows.columns;
  std::fill_n(sums, width, 0.0);
  for (const double* const row : windows) {
    for (size_t j = 0; j < columns.begin.size(); ++j) {
      for (int64_t x = columns.begin[j]; x < columns.end[j]; ++x) sums[x] += row[j];
    }
  }
  for (int64_t x = 0; x < width; ++x) joined[x] = static_cast<T>(sums[x]);
}

// The windows [first, end) that have element `at` of the axis, from those of one before it.
inline void advance(const AxisWindows& axis, int64_t at, std::pair<int64_t, int64_t>& windows) {
  auto& [first, end] = windows;
  while (first < axis.count() && axis.end[static_cast<size_t>(first)] <= at) ++first;
  while (end < axis.count() && axis.begin[static_cast<size_t>(end)] <= at) ++end;
}

template <class T>
HWY_INLINE void spread_slice(const AverageSpread& spread, const double* shares, int64_t slice,
                             const std::pair<int64_t, int64_t>& slices, double* sums,
                             ShareRows& windows, T* joined, T* results) {
  const VolumeSize& size = spread.pool.size;
  const AxisWindows& rows = spread.pool.windows.rows;
  std::pair<int64_t, int64_t> has = {0, 0};
  for (int64_t h = 0; h < size.height; ++h, results += size.width) {
    const auto before = has;
    advance(rows, h, has);
    if (h > 0 && before == has) {
      std::copy_n(results - size.width, size.width, results);
      continue;
    }
    windows.clear();
    for (int64_t z = slices.first; z < slices.second; ++z) {
      for (int64_t i = has.first; i < has.second; ++i) {
        windows.push_back(shares + (z * rows.count() + i) * spread.row);
      }
    }
    // What is written beyond the row is of rows that come later.
    const int64_t offset = spread.shift % spread.stride;
    const int64_t left = (size.rows() - slice * size.height - h) * size.width;
    const bool is_direct = offset == 0 && left >= spread.joined_size();
    T* const row = is_direct ? results : joined;
    if (spread.pool.phased) {
      spread_row(spread, windows, sums, row);
    } else {
      spread_uneven_row(spread, windows, sums, row);
    }
    if (!is_direct) std::copy_n(joined + offset, size.width, results);
  }
}

template <class T>
HWY_INLINE void spread_plane(const AverageSpread& spread, const double* gradients, double* scratch,
                             ShareRows& windows, T* joined, T* results) {
  const AveragePool& pool = spread.pool;
  const int64_t columns = pool.count();
  const auto count = static_cast<int64_t>(pool.row_factors.size());
  double* const shares = scratch;
  double* const sums = shares + count * spread.row;
  std::fill_n(shares, count * spread.row, 0.0);
  for (int64_t i = 0; i < count; ++i) {
    const double factor = pool.row_factors[static_cast<size_t>(i)];
    const double* HWY_RESTRICT from = gradients + i * columns;
    const double* HWY_RESTRICT factors = pool.column_factors.data();
    double* HWY_RESTRICT to = shares + i * spread.row + spread.left;
    for (int64_t j = 0; j < columns; ++j) to[j] = from[j] * (factor * factors[j]);
  }
  std::pair<int64_t, int64_t> slices = {0, 0};
  for (int64_t d = 0; d < pool.size.depth; ++d, results += pool.size.slice()) {
    const auto before = slices;
    advance(pool.windows.slices, d, slices);
    if (d > 0 && before == slices) {
      std::copy_n(results - pool.size.slice(), pool.size.slice(), results);
    } else {
      spread_slice(spread, shares, d, slices, sums, windows, joined, results);
    }
  }
}

void SpreadPlaneOfFloats(const AverageSpread& spread, const double* gradients, double* scratch,
                         ShareRows& windows, float* joined, float* results) {
  spread_plane(spread, gradients, scratch, windows, joined, results);
}
void SpreadPlaneOfDoubles(const AverageSpread& spread, const double* gradients, double* scratch,
                          ShareRows& windows, double* joined, double* results) {
  spread_plane(spread, gradients, scratch, windows, joined, results);
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(AveragePlaneOfFloats);
HWY_EXPORT(AveragePlaneOfDoubles);
HWY_EXPORT(SpreadPlaneOfFloats);
HWY_EXPORT(SpreadPlaneOfDoubles);

void average_pool_plane(const AveragePool& pool, const float* in, int64_t row_stride, float* phases,
                        double* row, float* results) {
  HWY_DYNAMIC_DISPATCH(AveragePlaneOfFloats)(pool, in, row_stride, phases, row, results);
}
void average_pool_plane(const AveragePool& pool, const double* in, int64_t row_stride,
                        double* phases, double* row, double* results) {
  HWY_DYNAMIC_DISPATCH(AveragePlaneOfDoubles)(pool, in, row_stride, phases, row, results);
}

void average_pool_backward_plane(const AverageSpread& spread, const double* gradients,
                                 double* scratch, ShareRows& windows, float* joined,
                                 float* results) {
  HWY_DYNAMIC_DISPATCH(SpreadPlaneOfFloats)(spread, gradients, scratch, windows, joined, results);
}
void average_pool_backward_plane(const AverageSpread& spread, const double* gradients,
                                 double* scratch, ShareRows& windows, double* joined,
                                 double* results) {
  HWY_DYNAMIC_DISPATCH(SpreadPlaneOfDoubles)(spread, gradients, scratch, windows, joined, results);
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
