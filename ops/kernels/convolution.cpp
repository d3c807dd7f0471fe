// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/convolution.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "aclgrad_ext.h"
#include "ops/kernels/convolution_channels.h"
#include "ops/kernels/convolution_windows.h"
#include "ops/kernels/product_kernel.h"
#include "ops/kernels/sums.h"
#include "ops/kernels/thread_scratch.h"

namespace aclgrad::ops {
namespace {

// Bytes of columns that stay in a second-level cache, and the bounds on their number. A multiple of
// a page between the rows of columns would put them in each other's way.
constexpr int64_t kColumnBytes = 1 << 18;
constexpr int64_t kFewestColumns = 64;
constexpr int64_t kMaxColumns = 960;
// Rows of columns that are worth a task of their own, and multiplications that are worth a thread.
constexpr int64_t kTaskRows = 64;
constexpr int64_t kMinPerThread = 1 << 18;
// Tasks that keep all threads busy.
constexpr int64_t kEnoughTasks = 16;

template <class T>
inline constexpr aclDataType kDtype = sizeof(T) == sizeof(float) ? ACL_FLOAT : ACL_DOUBLE;

// Memory that a thread keeps for columns and for products of them.
struct ConvolutionScratch {
  std::vector<double> memory;

  template <class T>
  T* of(int64_t elements) {
    const auto size = (static_cast<size_t>(elements) * sizeof(T) + 7) / sizeof(double);
    if (memory.size() < size) memory.resize(size);
    return reinterpret_cast<T*>(memory.data());
  }
};

bool is_depthwise(const ConvolutionShape& s) {
  return s.group_inputs() == 1 && s.group_outputs() == 1;
}

// Every output has one element under its window: the columns are the input itself.
bool is_pointwise(const ConvolutionShape& s) {
  return s.taps() == 1 && s.in == s.out && s.padding == ConvolutionShape::Axes{} &&
         s.stride == ConvolutionShape::Axes{1, 1, 1};
}

// Columns of a block, out of all places of an image.
int64_t columns_at_once(const ConvolutionShape& s, int64_t rows, size_t element) {
  constexpr int64_t kWhole = kPanel<float>;
  const int64_t fitting = kColumnBytes / static_cast<int64_t>(element) / std::max<int64_t>(rows, 1);
  const int64_t columns = std::clamp(fitting, kFewestColumns, kMaxColumns) / kWhole * kWhole;
  return std::min(columns, s.places());
}

// Parts of so many rows for tasks that are too few otherwise; what a row holds does not depend on
// its part.
int64_t parts_of(int64_t rows, int64_t tasks, int64_t fewest) {
  const int64_t wanted = (aclgradGetNumThreads() + tasks - 1) / std::max<int64_t>(tasks, 1);
  return std::clamp<int64_t>(rows / fewest, 1, std::max<int64_t>(wanted, 1));
}

// Runs body(task) for all of them; the product of `factors` is the number of multiplications of
// all.
template <class Body>
void run_tasks(int64_t tasks, std::initializer_list<int64_t> factors, const Body& body) {
  if (tasks == 0) return;
  const int64_t work = saturating_product(factors) / tasks;
  const int64_t grain = std::max<int64_t>(1, kMinPerThread / std::max<int64_t>(work, 1));
  parallel_pieces(tasks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) body(task);
  });
}

template <class T>
struct DenseMatrix {
  T* data;
  int64_t row_stride;
  int64_t column_stride = 1;
};

// c = a b on the calling thread; the rows of c are dense.
template <class T>
void multiply_dense(int64_t m, int64_t n, int64_t k, DenseMatrix<const T> a, DenseMatrix<const T> b,
                    DenseMatrix<T> c) {
  constexpr aclDataType dtype = kDtype<T>;
  MatmulProblem problem{.batch = {},
                        .m = m,
                        .n = n,
                        .k = k,
                        .a = {0, dtype, a.row_stride, a.column_stride, {}},
                        .b = {1, dtype, b.row_stride, b.column_stride, {}},
                        .out = {2, dtype, c.row_stride, 1, {}},
                        .addend = {},
                        .dtype = dtype};
  void* const addresses[] = {const_cast<T*>(a.data), const_cast<T*>(b.data), c.data};
  const Run run(addresses, nullptr);
  multiply({problem,
            run,
            0,
            {a.data, dtype, dtype, a.row_stride, a.column_stride},
            {b.data, dtype, dtype, b.row_stride, b.column_stride},
            0,
            m,
            0,
            n});
}

// A group and, of its rows, a part.
struct Part {
  int64_t image;
  int64_t group;
  int64_t block;
  int64_t begin;
  int64_t end;
};

// Task number `task` of images times groups times blocks times parts of `rows` rows.
Part part_of(const ConvolutionShape& s, int64_t task, int64_t blocks, int64_t parts, int64_t rows) {
  const int64_t part = task % parts;
  task /= parts;
  return {task / blocks / s.groups, task / blocks % s.groups, task % blocks, rows * part / parts,
          rows * (part + 1) / parts};
}

}  // namespace

// ---- All groups ---------------------------------------------------------------------------------

template <class T>
void convolve(const ConvolutionShape& s, const T* x, const T* w, const T* bias, T* y) {
  const int64_t terms = s.terms(), places = s.places(), rows = s.group_outputs();
  if (is_depthwise(s)) {
    const ChannelPlanes planes(s);
    return run_tasks(s.images * s.groups, {s.images, s.groups, terms, places}, [&](int64_t task) {
      const int64_t channel = task % s.groups;
      const ThreadScratch<ConvolutionScratch> scratch;
      convolve_channel(s, planes, x + task * s.pixels(), w + channel * terms,
                       bias == nullptr ? T{0} : bias[channel], y + task * places,
                       scratch->of<T>(planes.scratch()));
    });
  }
  const bool in_place = is_pointwise(s);
  const int64_t most = columns_at_once(s, terms, sizeof(T));
  const int64_t blocks = (places + most - 1) / most;
  const int64_t tasks = s.images * s.groups * blocks;
  const int64_t parts = parts_of(rows, tasks, kTaskRows);
  run_tasks(tasks * parts, {s.images, s.out_channels, terms, places}, [&](int64_t task) {
    const Part part = part_of(s, task, blocks, parts, rows);
    const int64_t begin = part.block * most;
    const int64_t count = std::min(places, begin + most) - begin;
    const int64_t first = part.group * rows + part.begin;  // channel of the output
    const T* const from =
        x + (part.image * s.in_channels + part.group * s.group_inputs()) * s.pixels();
    T* const to = y + (part.image * s.out_channels + first) * places + begin;
    const ThreadScratch<ConvolutionScratch> scratch;
    DenseMatrix<const T> columns{from + begin, places};
    if (!in_place) {
      T* const buffer = scratch->of<T>(terms * count);
      im2col(s, from, s.group_inputs(), begin, begin + count, buffer);
      columns = {buffer, count};
    }
    multiply_dense<T>(part.end - part.begin, count, terms, {w + first * terms, terms}, columns,
                      {to, places});
    for (int64_t row = 0; bias != nullptr && row < part.end - part.begin; ++row) {
      const T added = bias[first + row];
      for (int64_t j = 0; j < count; ++j) to[row * places + j] += added;
    }
  });
}

template <class T>
void convolve_adjoint(const ConvolutionShape& s, const T* y, const T* w, const T* bias, T* x) {
  const int64_t terms = s.terms(), places = s.places(), channels = s.group_inputs();
  if (is_depthwise(s)) {
    const ChannelPlanes planes(s);
    return run_tasks(s.images * s.groups, {s.images, s.groups, terms, places}, [&](int64_t task) {
      const int64_t channel = task % s.groups;
      const ThreadScratch<ConvolutionScratch> scratch;
      convolve_channel_adjoint(s, planes, y + task * places, w + channel * terms,
                               bias == nullptr ? T{0} : bias[channel], x + task * s.pixels(),
                               scratch->of<T>(planes.scratch()));
    });
  }
  const bool in_place = is_pointwise(s);
  const int64_t most = in_place ? places : columns_at_once(s, terms, sizeof(T));
  const int64_t tasks = s.images * s.groups;
  const int64_t parts = parts_of(channels, tasks, (kTaskRows + s.taps() - 1) / s.taps());
  run_tasks(tasks * parts, {s.images, s.out_channels, terms, places}, [&](int64_t task) {
    const Part part = part_of(s, task, 1, parts, channels);
    const int64_t count = part.end - part.begin;
    const int64_t rows = count * s.taps();
    const int64_t first = part.group * channels + part.begin;  // channel of the input
    const T* const from =
        y + (part.image * s.out_channels + part.group * s.group_outputs()) * places;
    T* const to = x + (part.image * s.in_channels + first) * s.pixels();
    // Of the group's weights, those of the part's channels, transposed.
    const DenseMatrix<const T> weights{
        w + part.group * s.group_outputs() * terms + part.begin * s.taps(), 1, terms};
    if (in_place) {
      multiply_dense<T>(rows, places, s.group_outputs(), weights, {from, places}, {to, places});
    } else {
      std::fill_n(to, count * s.pixels(), T{0});
    }
    const ThreadScratch<ConvolutionScratch> scratch;
    for (int64_t begin = 0; !in_place && begin < places; begin += most) {
      const int64_t end = std::min(places, begin + most);
      T* const columns = scratch->of<T>(rows * (end - begin));
      multiply_dense<T>(rows, end - begin, s.group_outputs(), weights, {from + begin, places},
                        {columns, end - begin});
      col2im(s, columns, count, begin, end, to);
    }
    for (int64_t channel = 0; bias != nullptr && channel < count; ++channel) {
      T* const plane = to + channel * s.pixels();
      for (int64_t i = 0; i < s.pixels(); ++i) plane[i] += bias[first + channel];
    }
  });
}

namespace {

// Channels of a group whose rows make a task; it follows from the shape, as the sums do.
int64_t weight_parts(const ConvolutionShape& s) {
  return std::max<int64_t>(1, s.terms() / std::max(kTaskRows, s.taps()));
}

// Adds the products of one image's gradients with the columns of some channels.
template <class T>
void add_weight_gradient(const ConvolutionShape& s, const Part& part, const T* x, const T* y,
                         double* sums) {
  const int64_t places = s.places(), rows = s.group_outputs();
  const int64_t channels = part.end - part.begin;
  const int64_t columns = channels * s.taps();  // of the gradient
  const int64_t most = columns_at_once(s, columns, sizeof(T));
  const T* const from =
      x + (part.image * s.in_channels + part.group * s.group_inputs() + part.begin) * s.pixels();
  const T* const gradient = y + (part.image * s.out_channels + part.group * rows) * places;
  const ThreadScratch<ConvolutionScratch> scratch;
  T* const product = scratch->of<T>(columns * (rows + most));
  T* const unfolded = product + columns * rows;
  for (int64_t begin = 0; begin < places; begin += most) {
    const int64_t count = std::min(places, begin + most) - begin;
    DenseMatrix<const T> transposed{from + begin, 1, places};
    if (!is_pointwise(s)) {
      im2col(s, from, channels, begin, begin + count, unfolded);
      transposed = {unfolded, 1, count};
    }
    multiply_dense<T>(rows, columns, count, {gradient + begin, places}, transposed,
                      {product, columns});
    for (int64_t row = 0; row < rows; ++row) {
      double* const to = sums + row * s.terms();
      for (int64_t j = 0; j < columns; ++j) {
        to[j] += static_cast<double>(product[row * columns + j]);
      }
    }
  }
}

}  // namespace

int64_t weight_slices(const ConvolutionShape& s) {
  if (is_depthwise(s)) return 0;
  return std::clamp<int64_t>(kEnoughTasks / (s.groups * weight_parts(s)), 1, s.images);
}

template <class T>
void convolve_weight_gradient(const ConvolutionShape& s, const T* x, const T* y, double* sums,
                              T* w) {
  if (is_depthwise(s)) {
    const ChannelPlanes planes(s);
    return run_tasks(s.groups, {s.images, s.groups, s.terms(), s.places()}, [&](int64_t channel) {
      const int64_t lanes = s.taps() * static_cast<int64_t>(kSumLanes);
      const int64_t values = planes.scratch();
      const ThreadScratch<ConvolutionScratch> scratch;
      double* const memory = scratch->of<double>(lanes + values);
      channel_weight_gradient(s, planes, channel, x, y, w + channel * s.terms(),
                              reinterpret_cast<T*>(memory + lanes), memory);
    });
  }
  const int64_t slices = weight_slices(s), parts = weight_parts(s);
  const int64_t count = s.out_channels * s.terms();
  const int64_t tasks = slices * s.groups * parts;
  run_tasks(tasks, {s.images, s.out_channels, s.terms(), s.places()}, [&](int64_t task) {
    Part part = part_of(s, task, 1, parts, s.group_inputs());
    const int64_t slice = part.image;
    double* const to =
        sums + slice * count + part.group * s.group_outputs() * s.terms() + part.begin * s.taps();
    for (int64_t row = 0; row < s.group_outputs(); ++row) {
      std::fill_n(to + row * s.terms(), (part.end - part.begin) * s.taps(), 0.0);
    }
    for (part.image = s.images * slice / slices; part.image < s.images * (slice + 1) / slices;
         ++part.image) {
      add_weight_gradient(s, part, x, y, to);
    }
  });
  run_tasks(count, {count, slices}, [&](int64_t i) {
    double sum = 0;
    for (int64_t slice = 0; slice < slices; ++slice) sum += sums[slice * count + i];
    w[i] = static_cast<T>(sum);
  });
}

template <class T>
void sum_channels(int64_t images, int64_t channels, int64_t places, const T* values, T* sums) {
  run_tasks(channels, {images, channels, places}, [&](int64_t channel) {
    double sum = 0;
    for (int64_t image = 0; image < images; ++image) {
      RealSum line;
      line.add(values + (image * channels + channel) * places, kDtype<T>,
               static_cast<size_t>(places));
      sum += line.total();
    }
    sums[channel] = static_cast<T>(sum);
  });
}

#define ACLGRAD_CONVOLUTION(T)                                                                 \
  template void convolve(const ConvolutionShape&, const T*, const T*, const T*, T*);           \
  template void convolve_adjoint(const ConvolutionShape&, const T*, const T*, const T*, T*);   \
  template void convolve_weight_gradient(const ConvolutionShape&, const T*, const T*, double*, \
                                         T*);                                                  \
  template void sum_channels(int64_t, int64_t, int64_t, const T*, T*);
ACLGRAD_CONVOLUTION(float)
ACLGRAD_CONVOLUTION(double)
#undef ACLGRAD_CONVOLUTION

}  // namespace aclgrad::ops
