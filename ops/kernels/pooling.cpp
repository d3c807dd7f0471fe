// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/pooling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include "ops/kernels/strided.h"
#include "ops/kernels/thread_scratch.h"

namespace aclgrad::ops {
namespace {

// Elements that are worth a thread.
constexpr int64_t kWorthThread = 1 << 13;

// What a thread keeps: a plane of either side, and a row of sums.
struct PoolScratch {
  std::vector<double> in, out, row;
  std::vector<int64_t> places;
};

template <class T>
T* room(std::vector<T>& memory, int64_t count) {
  if (memory.size() < static_cast<size_t>(count)) memory.resize(static_cast<size_t>(count));
  return memory.data();
}

// Calls move(address, stride, count, place in the block) for the rows of a plane, or once for all
// of them where they follow each other.
template <class Move>
void for_rows(const Run& run, const Planes& planes, int64_t plane, const Move& move) {
  void* const base = run.data(planes.parameter);
  const int64_t offset = planes.offset(plane);
  if (planes.row_stride == planes.width * planes.column_stride) {
    return move(element(base, planes.dtype, offset), planes.column_stride, planes.size(),
                int64_t{0});
  }
  for (int64_t row = 0; row < planes.height; ++row) {
    move(element(base, planes.dtype, offset + row * planes.row_stride), planes.column_stride,
         planes.width, row * planes.width);
  }
}

template <class T>
void read_plane(const Run& run, const Planes& planes, int64_t plane, T* block) {
  for_rows(run, planes, plane, [&](const void* from, int64_t stride, int64_t count, int64_t at) {
    load(from, planes.dtype, stride, block + at, static_cast<size_t>(count));
  });
}

template <class T>
void write_plane(const Run& run, const Planes& planes, int64_t plane, const T* block) {
  for_rows(run, planes, plane, [&](void* to, int64_t stride, int64_t count, int64_t at) {
    store(block + at, to, planes.dtype, stride, static_cast<size_t>(count));
  });
}

template <class Body>
Plan for_planes(int64_t planes, int64_t elements, Body body) {
  if (planes == 0) return {};
  const int64_t grain = std::max<int64_t>(1, kWorthThread / std::max<int64_t>(elements, 1));
  return {[=, all = std::make_shared<const Body>(std::move(body))](const Run& run) -> aclError {
    parallel_pieces(planes, grain, [&](int64_t begin, int64_t end) {
      const ThreadScratch<PoolScratch> scratch;
      for (int64_t plane = begin; plane < end; ++plane) (*all)(run, plane, *scratch);
    });
    return ACL_SUCCESS;
  }};
}

struct AverageWindows {
  AxisWindows rows, columns;
  std::optional<int64_t> divisor;

  double divisor_of(size_t row, size_t column) const {
    return static_cast<double>(divisor.value_or(rows.counted[row] * columns.counted[column]));
  }
};

int64_t first_in(const MaxWindows& axis, int64_t window) {
  const int64_t start = window * axis.stride - axis.padding;
  return start >= 0 ? start : start + (-start + axis.dilation - 1) / axis.dilation * axis.dilation;
}

int64_t end_of(const MaxWindows& axis, int64_t window, int64_t size) {
  return std::min(size,
                  window * axis.stride - axis.padding + (axis.kernel - 1) * axis.dilation + 1);
}

int64_t ceil_div(int64_t a, int64_t b) { return a > 0 ? (a + b - 1) / b : -(-a / b); }

// The maxima of a row of windows: tap by tap, each over all windows that have it in the plane.
void pool_row(const Planes& self, int64_t count, const MaxWindows& rows, const MaxWindows& columns,
              int64_t row, const double* in, double* best, int64_t* places) {
  const int64_t top = first_in(rows, row), bottom = end_of(rows, row, self.height);
  for (int64_t j = 0; j < count; ++j) {
    const int64_t left = first_in(columns, j);
    // Padding and dilation may leave a window without an element.
    const bool is_empty = top >= bottom || left >= end_of(columns, j, self.width);
    best[j] = -std::numeric_limits<double>::infinity();
    places[j] = is_empty ? 0 : top * self.width + left;
  }
  // Taps that no window has in the plane may be very many.
  const int64_t reach = columns.padding - (count - 1) * columns.stride;
  const int64_t first_tap = std::max<int64_t>(0, ceil_div(reach, columns.dilation));
  const int64_t last_tap =
      std::min(columns.kernel, ceil_div(columns.padding + self.width, columns.dilation));
  for (int64_t h = top; h < bottom; h += rows.dilation) {
    for (int64_t k = first_tap; k < last_tap; ++k) {
      const int64_t start = k * columns.dilation - columns.padding;
      const int64_t begin = std::max<int64_t>(0, ceil_div(-start, columns.stride));
      const int64_t end = std::min(count, ceil_div(self.width - start, columns.stride));
      const double* const line = in + h * self.width;
      for (int64_t j = begin; j < end; ++j) {
        const int64_t x = start + j * columns.stride;
        const bool is_first_nan = std::isnan(line[x]) && !std::isnan(best[j]);
        const bool wins = line[x] > best[j] || is_first_nan;
        best[j] = wins ? line[x] : best[j];
        places[j] = wins ? h * self.width + x : places[j];
      }
    }
  }
}

}  // namespace

Planes::Planes(const Arguments& arguments, size_t tensor, bool channels_last)
    : parameter(tensor), dtype(arguments.dtype(tensor)) {
  const Dims& shape = arguments.shape(tensor);
  const Dims& strides = arguments.strides(tensor);
  const size_t first = shape.size() - 3;
  const size_t channel = first + (channels_last ? 2 : 0);
  const size_t row = first + (channels_last ? 0 : 1);
  images = first == 0 ? 1 : shape[0];
  image_stride = first == 0 ? 0 : strides[0];
  channels = shape[channel];
  channel_stride = strides[channel];
  height = shape[row];
  row_stride = strides[row];
  width = shape[row + 1];
  column_stride = strides[row + 1];
}

Plan plan_average_pool(const Planes& self, const Planes& out, AxisWindows rows, AxisWindows columns,
                       std::optional<int64_t> divisor) {
  const AverageWindows w{std::move(rows), std::move(columns), divisor};
  return for_planes(out.count(), self.size(),
                    [=](const Run& run, int64_t plane, PoolScratch& scratch) {
                      double* const in = room(scratch.in, self.size());
                      double* const results = room(scratch.out, out.size());
                      double* const sums = room(scratch.row, self.width);
                      read_plane(run, self, plane, in);
                      for (size_t i = 0; i < w.rows.begin.size(); ++i) {
                        // First down the rows of the window, then across.
                        std::fill_n(sums, self.width, 0.0);
                        for (int64_t h = w.rows.begin[i]; h < w.rows.end[i]; ++h) {
                          for (int64_t x = 0; x < self.width; ++x)
                            sums[x] += in[h * self.width + x];
                        }
                        double* const to = results + static_cast<int64_t>(i) * out.width;
                        for (size_t j = 0; j < w.columns.begin.size(); ++j) {
                          double sum = 0;
                          for (int64_t x = w.columns.begin[j]; x < w.columns.end[j]; ++x)
                            sum += sums[x];
                          to[j] = sum / w.divisor_of(i, j);
                        }
                      }
                      write_plane(run, out, plane, results);
                    });
}

Plan plan_average_pool_backward(const Planes& grad_output, const Planes& grad_input,
                                AxisWindows rows, AxisWindows columns,
                                std::optional<int64_t> divisor) {
  const AverageWindows w{std::move(rows), std::move(columns), divisor};
  return for_planes(grad_input.count(), grad_input.size(),
                    [=](const Run& run, int64_t plane, PoolScratch& scratch) {
                      const int64_t width = grad_input.width;
                      double* const from = room(scratch.in, grad_output.size());
                      double* const results = room(scratch.out, grad_input.size());
                      double* const sums = room(scratch.row, width);
                      read_plane(run, grad_output, plane, from);
                      std::fill_n(results, grad_input.size(), 0.0);
                      for (size_t i = 0; i < w.rows.begin.size(); ++i) {
                        std::fill_n(sums, width, 0.0);
                        const double* const gradients =
                            from + static_cast<int64_t>(i) * grad_output.width;
                        for (size_t j = 0; j < w.columns.begin.size(); ++j) {
                          const double share = gradients[j] / w.divisor_of(i, j);
                          for (int64_t x = w.columns.begin[j]; x < w.columns.end[j]; ++x)
                            sums[x] += share;
                        }
                        for (int64_t h = w.rows.begin[i]; h < w.rows.end[i]; ++h) {
                          for (int64_t x = 0; x < width; ++x) results[h * width + x] += sums[x];
                        }
                      }
                      write_plane(run, grad_input, plane, results);
                    });
}

Plan plan_max_pool(const Planes& self, const Planes& out, const Planes& indices,
                   const MaxWindows& rows, const MaxWindows& columns) {
  return for_planes(out.count(), self.size(),
                    [=](const Run& run, int64_t plane, PoolScratch& scratch) {
                      double* const in = room(scratch.in, self.size());
                      double* const results = room(scratch.out, out.size());
                      int64_t* const places = room(scratch.places, out.size());
                      read_plane(run, self, plane, in);
                      for (int64_t i = 0; i < out.height; ++i) {
                        pool_row(self, out.width, rows, columns, i, in, results + i * out.width,
                                 places + i * out.width);
                      }
                      write_plane(run, out, plane, results);
                      write_plane(run, indices, plane, places);
                    });
}

Plan plan_max_pool_backward(const Planes& grad_output, const Planes& indices,
                            const Planes& grad_input) {
  return for_planes(grad_input.count(), grad_input.size(),
                    [=](const Run& run, int64_t plane, PoolScratch& scratch) {
                      double* const from = room(scratch.in, grad_output.size());
                      double* const results = room(scratch.out, grad_input.size());
                      int64_t* const places = room(scratch.places, grad_output.size());
                      read_plane(run, grad_output, plane, from);
                      read_plane(run, indices, plane, places);
                      std::fill_n(results, grad_input.size(), 0.0);
                      for (int64_t p = 0; p < grad_output.size(); ++p) {
                        if (places[p] < 0 || places[p] >= grad_input.size()) {
                          throw std::runtime_error(fmt::format(
                              "indices must be within [0, {}], but element {} of plane {} is {}",
                              grad_input.size() - 1, p, plane, places[p]));
                        }
                        results[places[p]] += from[p];
                      }
                      write_plane(run, grad_input, plane, results);
                    });
}

}  // namespace aclgrad::ops
