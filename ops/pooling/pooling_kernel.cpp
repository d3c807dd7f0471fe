// SPDX-License-Identifier: Apache-2.0
#include "ops/pooling/pooling_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "ops/engine/iterate.h"
#include "ops/engine/thread_scratch.h"

namespace aclgrad::ops {
namespace {

// Elements that are worth a thread.
constexpr int64_t kMinPerThread = 1 << 13;

// What a thread keeps: planes of either side, and what the kernels need.
template <class T>
struct PoolScratch {
  std::vector<T> in, out, phases;
  std::vector<double> doubles, rest;
  std::vector<typename MaxPool<T>::Index> row_places;
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

template <class T, class Body>
Plan for_planes(int64_t planes, int64_t elements, Body body) {
  if (planes == 0) return {};
  const int64_t grain = std::max<int64_t>(1, kMinPerThread / std::max<int64_t>(elements, 1));
  return {[=, all = std::make_shared<const Body>(std::move(body))](const Run& run) -> aclError {
    parallel_pieces(planes, grain, [&](int64_t begin, int64_t end) {
      const ThreadScratch<PoolScratch<T>> scratch;
      for (int64_t plane = begin; plane < end; ++plane) (*all)(run, plane, *scratch);
    });
    return ACL_SUCCESS;
  }};
}

template <class T>
constexpr aclDataType kDtype = sizeof(T) == 4 ? ACL_FLOAT : ACL_DOUBLE;
template <>
constexpr aclDataType kDtype<int32_t> = ACL_INT32;
template <>
constexpr aclDataType kDtype<int64_t> = ACL_INT64;

// The plane itself, where it has this type and dense rows, and memory is not aligned to nothing;
// else null.
template <class T>
T* direct_plane(const Run& run, const Planes& planes, int64_t plane, bool rows_join) {
  if (planes.column_stride != 1 || planes.dtype != kDtype<T>) return nullptr;
  if (rows_join && planes.row_stride != planes.width) return nullptr;
  void* const data = element(run.data(planes.parameter), planes.dtype, planes.offset(plane));
  return reinterpret_cast<uintptr_t>(data) % sizeof(T) == 0 ? static_cast<T*>(data) : nullptr;
}

// A plane to be read, and the distance between its rows.
template <class T>
struct PlaneIn {
  const T* data;
  int64_t row_stride;

  PlaneIn(const Run& run, const Planes& planes, int64_t plane, PoolScratch<T>& scratch)
      : data(direct_plane<T>(run, planes, plane, false)), row_stride(planes.row_stride) {
    if (data != nullptr) return;
    row_stride = planes.width;
    double* const block = room(scratch.doubles, planes.size());
    read_plane(run, planes, plane, block);
    T* const converted = room(scratch.in, planes.size());
    std::transform(block, block + planes.size(), converted,
                   [](double x) { return static_cast<T>(x); });
    data = converted;
  }
};

// A dense plane to be written.
template <class T>
struct PlaneOut {
  T* data;
  bool is_direct;

  PlaneOut(const Run& run, const Planes& planes, int64_t plane, PoolScratch<T>& scratch)
      : data(direct_plane<T>(run, planes, plane, true)), is_direct(data != nullptr) {
    if (!is_direct) data = room(scratch.out, planes.size());
  }
  void finish(const Run& run, const Planes& planes, int64_t plane, PoolScratch<T>& scratch) const {
    if (is_direct) return;
    double* const block = room(scratch.doubles, planes.size());
    std::copy_n(data, planes.size(), block);
    write_plane(run, planes, plane, block);
  }
};

template <class T>
Plan plan_max_pool_in(const Planes& self, const Planes& out, const Planes& indices,
                      const SlidingWindows& rows, const SlidingWindows& columns) {
  const MaxPool<T> pool(self.height, self.width, out.height, out.width, rows, columns);
  return for_planes<T>(
      out.count(), self.size(), [=](const Run& run, int64_t plane, PoolScratch<T>& scratch) {
        const MaxScratch<T> rooms{room(scratch.phases, pool.columns.size()),
                                  room(scratch.row_places, pool.row_size())};
        const PlaneIn<T> in(run, self, plane, scratch);
        const PlaneOut<T> results(run, out, plane, scratch);
        if constexpr (sizeof(T) == 4) {
          if (auto* const direct = direct_plane<int32_t>(run, indices, plane, true)) {
            max_pool_plane(pool, in.data, in.row_stride, rooms, results.data, direct);
            return results.finish(run, out, plane, scratch);
          }
        }
        auto* const direct = direct_plane<int64_t>(run, indices, plane, true);
        int64_t* const places = direct != nullptr ? direct : room(scratch.places, out.size());
        max_pool_plane(pool, in.data, in.row_stride, rooms, results.data, places);
        if (direct == nullptr) write_plane(run, indices, plane, places);
        results.finish(run, out, plane, scratch);
      });
}

template <class T>
Plan plan_average_pool_in(const Planes& self, const Planes& out, const AveragePool& pool) {
  return for_planes<T>(
      out.count(), self.size(), [=](const Run& run, int64_t plane, PoolScratch<T>& scratch) {
        const PlaneIn<T> in(run, self, plane, scratch);
        const PlaneOut<T> results(run, out, plane, scratch);
        average_pool_plane(pool, in.data, in.row_stride, room(scratch.phases, pool.phases_size()),
                           room(scratch.rest, self.width), results.data);
        results.finish(run, out, plane, scratch);
      });
}

template <class T>
Plan plan_average_pool_backward_in(const Planes& grad_output, const Planes& grad_input,
                                   const AverageSpread& spread) {
  return for_planes<T>(grad_input.count(), grad_input.size(),
                       [=](const Run& run, int64_t plane, PoolScratch<T>& scratch) {
                         double* const from = room(scratch.doubles, grad_output.size());
                         read_plane(run, grad_output, plane, from);
                         const PlaneOut<T> results(run, grad_input, plane, scratch);
                         average_pool_backward_plane(
                             spread, from, room(scratch.rest, spread.scratch_size()),
                             room(scratch.phases, spread.joined_size()), results.data);
                         results.finish(run, grad_input, plane, scratch);
                       });
}

// Gradients of a plane to where their maxima stood.
template <class Index>
void scatter_plane(const Planes& to, int64_t plane, const double* from, const Index* places,
                   int64_t count, double* results) {
  std::fill_n(results, to.size(), 0.0);
  const auto size = static_cast<uint64_t>(to.size());
  for (int64_t p = 0; p < count; ++p) {
    const auto place = static_cast<uint64_t>(static_cast<int64_t>(places[p]));
    if (place >= size) {
      throw std::runtime_error(
          fmt::format("indices must be within [0, {}], but element {} of plane {} is {}", size - 1,
                      p, plane, places[p]));
    }
    results[place] += from[p];
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
  const AveragePool pool(self.height, self.width, std::move(rows), std::move(columns), divisor);
  // Sums that are rounded once, to the result.
  return out.dtype == ACL_FLOAT ? plan_average_pool_in<float>(self, out, pool)
                                : plan_average_pool_in<double>(self, out, pool);
}

Plan plan_average_pool_backward(const Planes& grad_output, const Planes& grad_input,
                                AxisWindows rows, AxisWindows columns,
                                std::optional<int64_t> divisor) {
  const AverageSpread spread(AveragePool(grad_input.height, grad_input.width, std::move(rows),
                                         std::move(columns), divisor));
  return grad_input.dtype == ACL_FLOAT
             ? plan_average_pool_backward_in<float>(grad_output, grad_input, spread)
             : plan_average_pool_backward_in<double>(grad_output, grad_input, spread);
}

Plan plan_max_pool(const Planes& self, const Planes& out, const Planes& indices,
                   const SlidingWindows& rows, const SlidingWindows& columns) {
  // All others are floats, and the places of most planes fit into 32 bits.
  const bool is_wide = self.dtype == ACL_DOUBLE || self.size() > (int64_t{1} << 30);
  return is_wide ? plan_max_pool_in<double>(self, out, indices, rows, columns)
                 : plan_max_pool_in<float>(self, out, indices, rows, columns);
}

Plan plan_max_pool_backward(const Planes& grad_output, const Planes& indices,
                            const Planes& grad_input) {
  return for_planes<double>(
      grad_input.count(), grad_input.size(),
      [=](const Run& run, int64_t plane, PoolScratch<double>& scratch) {
        const int64_t count = grad_output.size();
        double* const from = room(scratch.in, count);
        double* const results = room(scratch.out, grad_input.size());
        read_plane(run, grad_output, plane, from);
        if (const auto* const of32 = direct_plane<int32_t>(run, indices, plane, true)) {
          scatter_plane(grad_input, plane, from, of32, count, results);
        } else if (const auto* const of64 = direct_plane<int64_t>(run, indices, plane, true)) {
          scatter_plane(grad_input, plane, from, of64, count, results);
        } else {
          int64_t* const places = room(scratch.places, count);
          read_plane(run, indices, plane, places);
          scatter_plane(grad_input, plane, from, places, count, results);
        }
        write_plane(run, grad_input, plane, results);
      });
}

}  // namespace aclgrad::ops
