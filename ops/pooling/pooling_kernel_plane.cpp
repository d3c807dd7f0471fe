// SPDX-License-Identifier: Apache-2.0
#include "ops/pooling/pooling_kernel_plane.h"

#include <algorithm>
#include <utility>

namespace aclgrad::ops {
namespace {

int64_t ceil_div(int64_t a, int64_t b) { return a > 0 ? (a + b - 1) / b : -(-a / b); }
int64_t floor_div(int64_t a, int64_t b) { return -ceil_div(-a, b); }

}  // namespace

int64_t SlidingWindows::first(int64_t window) const {
  const int64_t start = window * stride - padding;
  return start >= 0 ? start : start + ceil_div(-start, dilation) * dilation;
}

int64_t SlidingWindows::end(int64_t window, int64_t size) const {
  return std::min(size, window * stride - padding + (kernel - 1) * dilation + 1);
}

PhasedPlane::PhasedPlane(int64_t plane_height, int64_t plane_width, int64_t windows_count,
                         const SlidingWindows& windows)
    : height(plane_height),
      width(plane_width),
      count(windows_count),
      // Of one window, all elements may be in one phase.
      stride(windows_count == 1 ? 1 : windows.stride),
      row(ceil_div(width, stride)),
      before(0),
      after(0) {
  // Taps that no window has in the plane may be very many.
  const int64_t reach = windows.padding - (count - 1) * windows.stride;
  const int64_t first_tap = std::max<int64_t>(0, ceil_div(reach, windows.dilation));
  const int64_t end_tap =
      std::min(windows.kernel, ceil_div(windows.padding + width, windows.dilation));
  for (int64_t k = first_tap; k < end_tap; ++k) {
    const int64_t column = k * windows.dilation - windows.padding;
    const int64_t number = floor_div(column, stride);  // in its phase
    const int64_t end = ceil_div(width - column, stride);
    taps.push_back({(column - number * stride) * height * row + number, column,
                    std::max<int64_t>(0, -number), end < count ? end : count + kPoolSlack});
    before = std::max(before, -number);
    after = std::max(after, number + count - row);
  }
  for (Tap& tap : taps) tap.place += before;
  after += kPoolSlack;
}

template <class T>
MaxPool<T>::MaxPool(const VolumeSize& volume, PoolWindows of)
    : size(volume),
      windows(std::move(of)),
      starts(static_cast<size_t>(row_size())),
      lefts(static_cast<size_t>(row_size())) {
  const AxisWindows& columns = windows.columns;
  if (!columns.sliding) return;
  phased.emplace(size.rows(), size.width, columns.count(), *columns.sliding);
  for (int64_t j = 0; j < columns.count(); ++j) {
    const auto at = static_cast<size_t>(j);
    starts[at] = static_cast<Index>(j * phased->stride);
    // Padding and dilation may leave a window without an element.
    if (columns.begin[at] < columns.end[at]) {
      lefts[at] = static_cast<Index>(columns.begin[at]);
    } else {
      empties.push_back(j);
    }
  }
}

template struct MaxPool<float>;
template struct MaxPool<double>;

AveragePool::AveragePool(const VolumeSize& volume, PoolWindows of, std::optional<int64_t> divisor)
    : size(volume), windows(std::move(of)) {
  for (const int64_t slices : windows.slices.counted) {
    for (const int64_t rows : windows.rows.counted) {
      const double both = static_cast<double>(slices) * static_cast<double>(rows);
      row_factors.push_back(divisor ? 1 : 1 / both);
    }
  }
  for (const int64_t counted : windows.columns.counted) {
    column_factors.push_back(1 / static_cast<double>(divisor.value_or(counted)));
  }
  if (!windows.columns.sliding) return;
  phased.emplace(size.rows(), size.width, count(), *windows.columns.sliding);
  for (int64_t j = 0; j < count(); ++j) starts.push_back(static_cast<double>(j * phased->stride));
  starts.resize(starts.size() + kPoolSlack);
  column_factors.resize(starts.size(), 1);
}

AverageSpread::AverageSpread(const AveragePool& average) : pool(average) {
  const int64_t count = pool.count();
  length = pool.size.width;
  row = count;
  if (!pool.phased) return;
  const SlidingWindows& windows = *pool.windows.columns.sliding;
  stride = pool.phased->stride;
  shift = windows.padding;
  const int64_t begin = shift / stride;  // of y / stride
  length = (pool.size.width - 1 + shift) / stride - begin + 1;
  int64_t right = 0;
  for (int64_t r = 0; r < stride; ++r) {
    std::vector<int64_t>& list = firsts.emplace_back();
    const int64_t taps = r < windows.kernel ? ceil_div(windows.kernel - r, stride) : 0;
    const int64_t t_end = std::min(taps, begin + length);
    for (int64_t t = std::max<int64_t>(0, begin - count + 1); t < t_end; ++t) {
      list.push_back(begin - t);
      left = std::max(left, t - begin);
      right = std::max(right, begin - t + length - count);
    }
  }
  for (std::vector<int64_t>& list : firsts) {
    for (int64_t& first : list) first += left;
  }
  row = left + count + right + kPoolSlack;
}

int64_t AverageSpread::scratch_size() const {
  return static_cast<int64_t>(pool.row_factors.size()) * row + length + kPoolSlack;
}

}  // namespace aclgrad::ops
