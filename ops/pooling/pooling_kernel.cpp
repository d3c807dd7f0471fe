// SPDX-License-Identifier: Apache-2.0
#include "ops/pooling/pooling_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

#include "ops/engine/dtype/convert_native.h"
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
  std::vector<typename MaxPool<T>::Index> row_places, narrow_places;
  std::vector<int64_t> places, wide_bits;
  std::vector<int8_t> bits;
  ShareRows windows;
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
  if (planes.row_stride == planes.width * planes.column_stride && planes.has_even_rows()) {
    return move(element(base, planes.dtype, offset), planes.column_stride, planes.size(),
                int64_t{0});
  }
  for (int64_t row = 0; row < planes.depth * planes.height; ++row) {
    const int64_t at = offset + row / planes.height * planes.slice_stride +
                       row % planes.height * planes.row_stride;
    move(element(base, planes.dtype, at), planes.column_stride, planes.width, row * planes.width);
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
constexpr aclDataType kDtype<int8_t> = ACL_INT8;
template <>
constexpr aclDataType kDtype<int32_t> = ACL_INT32;
template <>
constexpr aclDataType kDtype<int64_t> = ACL_INT64;

bool is_dense(const Planes& planes) {
  return planes.column_stride == 1 && planes.row_stride == planes.width && planes.has_even_rows();
}

void* start(const Run& run, const Planes& planes, int64_t plane) {
  return element(run.data(planes.parameter), planes.dtype, planes.offset(plane));
}

// The plane itself, where it has this type, dense rows with equal gaps, and memory is not aligned
// to nothing; else null.
template <class T>
T* direct_plane(const Run& run, const Planes& planes, int64_t plane, bool rows_join) {
  if (planes.column_stride != 1 || planes.dtype != kDtype<T> || !planes.has_even_rows()) {
    return nullptr;
  }
  if (rows_join && planes.row_stride != planes.width) return nullptr;
  void* const data = start(run, planes, plane);
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
    T* const converted = room(scratch.in, planes.size());
    data = converted;
    if (is_dense(planes) && convert_dense(start(run, planes, plane), planes.dtype, converted,
                                          kDtype<T>, planes.size())) {
      return;
    }
    double* const block = room(scratch.doubles, planes.size());
    read_plane(run, planes, plane, block);
    std::transform(block, block + planes.size(), converted,
                   [](double x) { return static_cast<T>(x); });
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
    if (is_dense(planes) &&
        convert_dense(data, kDtype<T>, start(run, planes, plane), planes.dtype, planes.size())) {
      return;
    }
    double* const block = room(scratch.doubles, planes.size());
    std::copy_n(data, planes.size(), block);
    write_plane(run, planes, plane, block);
  }
};

// Bits for the windows of a plane, from the places of their maxima.
template <class T>
void write_mask(const Run& run, const Planes& mask, int64_t plane, const MaxPool<T>& pool,
                typename MaxPool<T>::Index* places, PoolScratch<T>& scratch) {
  if (auto* const direct = direct_plane<int8_t>(run, mask, plane, true)) {
    return max_pool_bits(pool, places, direct, mask.width);
  }
  int8_t* const bits = room(scratch.bits, mask.size());
  max_pool_bits(pool, places, bits, mask.width);
  int64_t* const wide = room(scratch.wide_bits, mask.size());
  std::copy_n(bits, mask.size(), wide);
  write_plane(run, mask, plane, wide);
}

template <class T>
Plan plan_max_pool_in(const Planes& self, const Planes& out, const MaxPlaces& to,
                      const PoolWindows& windows) {
  const MaxPool<T> pool(self.volume(), windows);
  return for_planes<T>(
      out.count(), self.size(), [=](const Run& run, int64_t plane, PoolScratch<T>& scratch) {
        const MaxScratch<T> rooms{room(scratch.phases, pool.phases_size()),
                                  room(scratch.row_places, pool.row_size())};
        const PlaneIn<T> in(run, self, plane, scratch);
        const PlaneOut<T> results(run, out, plane, scratch);
        const auto find = [&]<class Index>(Index* places) {
          max_pool_plane(pool, in.data, in.row_stride, rooms, results.data, places);
          results.finish(run, out, plane, scratch);
        };
        if (!to.indices) {
          auto* const places = room(scratch.narrow_places, out.size() + kPoolSlack);
          find(places);
          if (to.mask) write_mask(run, *to.mask, plane, pool, places, scratch);
          return;
        }
        if constexpr (sizeof(T) == 4) {
          if (auto* const direct = direct_plane<int32_t>(run, *to.indices, plane, true)) {
            return find(direct);
          }
        }
        if (auto* const direct = direct_plane<int64_t>(run, *to.indices, plane, true)) {
          return find(direct);
        }
        int64_t* const places = room(scratch.places, out.size());
        find(places);
        write_plane(run, *to.indices, plane, places);
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
                             scratch.windows, room(scratch.phases, spread.joined_size()),
                             results.data);
                         results.finish(run, grad_input, plane, scratch);
                       });
}

// A plane's elements to their places in another, which are added up, or the last of which stands.
template <class Index>
void scatter_plane(const Planes& to, int64_t plane, bool adds, const double* from,
                   const Index* places, int64_t count, double* results) {
  std::fill_n(results, to.size(), 0.0);
  const auto size = static_cast<uint64_t>(to.size());
  for (int64_t p = 0; p < count; ++p) {
    const auto place = static_cast<uint64_t>(static_cast<int64_t>(places[p]));
    if (place >= size) {
      if (adds && places[p] == kNoPlace) continue;
      throw std::runtime_error(fmt::format(
          "indices must be within [0, {}]{}, but element {} of plane {} is {}", size - 1,
          adds ? ", or -1 of a window without elements" : "", p, plane, places[p]));
    }
    results[place] = adds ? results[place] + from[p] : from[p];
  }
}

Plan plan_scatter(const Planes& from, const Planes& indices, const Planes& to, bool adds) {
  return for_planes<double>(
      to.count(), to.size(), [=](const Run& run, int64_t plane, PoolScratch<double>& scratch) {
        const int64_t count = from.size();
        double* const values = room(scratch.in, count);
        double* const results = room(scratch.out, to.size());
        read_plane(run, from, plane, values);
        if (const auto* const of32 = direct_plane<int32_t>(run, indices, plane, true)) {
          scatter_plane(to, plane, adds, values, of32, count, results);
        } else if (const auto* const of64 = direct_plane<int64_t>(run, indices, plane, true)) {
          scatter_plane(to, plane, adds, values, of64, count, results);
        } else {
          int64_t* const places = room(scratch.places, count);
          read_plane(run, indices, plane, places);
          scatter_plane(to, plane, adds, values, places, count, results);
        }
        write_plane(run, to, plane, results);
      });
}

static_assert(std::endian::native == std::endian::little);  // bit e is bit e % 64 of word e / 64

// Adds the gradients of the windows up whose bits are set in one row of a mask, at the element with
// numbers `row` and `column` of each.
void scatter_bits(const Planes& to, const PoolWindows& windows, int64_t row, int64_t column,
                  const double* from, const int8_t* bits, int64_t bytes, double* results) {
  const int64_t across = windows.columns.count(), count = windows.rows.count() * across;
  int64_t i = 0;  // the row of window e
  for (int64_t word = 0; word < bytes / 8; ++word) {
    uint64_t left = 0;
    std::memcpy(&left, bits + word * 8, sizeof left);
    for (; left != 0; left &= left - 1) {
      const int64_t e = word * 64 + std::countr_zero(left);
      while (e < count && e - i * across >= across) ++i;
      const int64_t h = e < count ? windows.rows.sliding->place(i, row) : -1;
      const int64_t x = windows.columns.sliding->place(e - i * across, column);
      if (h < 0 || h >= to.height || x < 0 || x >= to.width) {
        throw std::runtime_error(fmt::format(
            "mask must have bits for elements of the plane only, as aclnnMaxPool2dWithMask writes "
            "it, but row {} of one has bit {}",
            row * windows.columns.sliding->kernel + column, e));
      }
      results[h * to.width + x] += from[e];
    }
  }
}

}  // namespace

void require_pool_axes(size_t axes) {
  if (axes != 2 && axes != 3) throw std::logic_error("pools know planes and volumes only");
}

Planes::Planes(const Arguments& arguments, size_t tensor, size_t axes, bool channels_last)
    : parameter(tensor), dtype(arguments.dtype(tensor)) {
  require_pool_axes(axes);
  const Dims& shape = arguments.shape(tensor);
  const Dims& strides = arguments.strides(tensor);
  const size_t first = shape.size() - axes - 1;
  const size_t channel = first + (channels_last ? axes : 0);
  const size_t row = first + axes - (channels_last ? 2 : 1);
  images = first == 0 ? 1 : shape[0];
  image_stride = first == 0 ? 0 : strides[0];
  channels = shape[channel];
  channel_stride = strides[channel];
  depth = axes == 3 ? shape[row - 1] : 1;
  slice_stride = axes == 3 ? strides[row - 1] : 0;
  height = shape[row];
  row_stride = strides[row];
  width = shape[row + 1];
  column_stride = strides[row + 1];
}

Plan plan_average_pool(const Planes& self, const Planes& out, PoolWindows windows,
                       std::optional<int64_t> divisor) {
  const AveragePool pool(self.volume(), std::move(windows), divisor);
  // Sums that are rounded once, to the result.
  return out.dtype == ACL_FLOAT ? plan_average_pool_in<float>(self, out, pool)
                                : plan_average_pool_in<double>(self, out, pool);
}

Plan plan_average_pool_backward(const Planes& grad_output, const Planes& grad_input,
                                PoolWindows windows, std::optional<int64_t> divisor) {
  const AverageSpread spread(AveragePool(grad_input.volume(), std::move(windows), divisor));
  return grad_input.dtype == ACL_FLOAT
             ? plan_average_pool_backward_in<float>(grad_output, grad_input, spread)
             : plan_average_pool_backward_in<double>(grad_output, grad_input, spread);
}

Plan plan_max_pool(const Planes& self, const Planes& out, const MaxPlaces& places,
                   const PoolWindows& windows) {
  // All others are floats, and the places of most planes fit into 32 bits.
  const bool is_wide = self.dtype == ACL_DOUBLE || self.size() > (int64_t{1} << 30);
  return is_wide ? plan_max_pool_in<double>(self, out, places, windows)
                 : plan_max_pool_in<float>(self, out, places, windows);
}

Plan plan_max_pool_backward(const Planes& grad_output, const Planes& indices,
                            const Planes& grad_input) {
  return plan_scatter(grad_output, indices, grad_input, true);
}

Plan plan_max_unpool(const Planes& self, const Planes& indices, const Planes& out) {
  return plan_scatter(self, indices, out, false);
}

Plan plan_max_pool_mask_backward(const Planes& grad_output, const Planes& mask,
                                 const Planes& grad_input, const PoolWindows& windows) {
  return for_planes<double>(grad_input.count(), grad_input.size(),
                            [=](const Run& run, int64_t plane, PoolScratch<double>& scratch) {
                              double* const from = room(scratch.in, grad_output.size());
                              double* const results = room(scratch.out, grad_input.size());
                              read_plane(run, grad_output, plane, from);
                              std::fill_n(results, grad_input.size(), 0.0);
                              const int8_t* bits = direct_plane<int8_t>(run, mask, plane, true);
                              if (bits == nullptr) {
                                int64_t* const wide = room(scratch.wide_bits, mask.size());
                                read_plane(run, mask, plane, wide);
                                bits = room(scratch.bits, mask.size());
                                std::transform(
                                    wide, wide + mask.size(), scratch.bits.data(),
                                    [](int64_t byte) { return static_cast<int8_t>(byte); });
                              }
                              const int64_t across = windows.columns.sliding->kernel;
                              for (int64_t k = 0; k < mask.height; ++k) {
                                scatter_bits(grad_input, windows, k / across, k % across, from,
                                             bits + k * mask.width, mask.width, results);
                              }
                              write_plane(run, grad_input, plane, results);
                            });
}

}  // namespace aclgrad::ops
