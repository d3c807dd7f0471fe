// SPDX-License-Identifier: Apache-2.0
// aclnnIm2col, aclnnIm2colBackward, aclnnUnfoldGrad.
#include "aclnnop/aclnn_im2col.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "aclnnop/aclnn_im2col_backward.h"
#include "aclnnop/aclnn_unfold_grad.h"
#include "ops/arithmetic/arithmetic_kernel.h"
#include "ops/convolution/window_rules.h"
#include "ops/engine/thread_scratch.h"
#include "ops/resampling/resampling_rules.h"

namespace aclgrad::ops::im2col {
namespace {

constexpr size_t kPlaneAxes = 2;
// Elements that are worth a thread.
constexpr int64_t kMinPerThread = 1 << 13;

// Numbers of the parameters of both directions. Arrays have one number for both axes or two.
struct Columns {
  size_t image, columns, kernel, dilation, padding, stride;

  WindowAxis axis(const Arguments& arguments, const std::vector<int64_t>& sizes, size_t k) const {
    const auto value = [&](size_t array) {
      const std::vector<int64_t>& values = arguments.int_array(array);
      return values[values.size() == 1 ? 0 : k];
    };
    return {sizes[k],        value(kernel),  value(stride),
            value(dilation), value(padding), value(padding)};
  }
};

Rule arrays_fit(const Columns& p) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    for (const size_t array : {p.kernel, p.dilation, p.padding, p.stride}) {
      const std::vector<int64_t>& values = arguments.int_array(array);
      const int64_t least = array == p.padding ? 0 : 1;
      if (values.size() != 1 && values.size() != kPlaneAxes) {
        return fmt::format("{} must have one value for height and width, or two, but has {}: {}.",
                           arguments.name(array), values.size(), to_string(values));
      }
      if (std::ranges::all_of(
              values, [=](int64_t value) { return value >= least && value <= kMaxWindow; })) {
        continue;
      }
      return fmt::format("{} must be within [{}, {}], but is {}.", arguments.name(array), least,
                         kMaxWindow, to_string(values));
    }
    return std::nullopt;
  });
}

using Sizes = std::vector<int64_t> (*)(const Arguments&);

Rule windows_fit(const Columns& p, Sizes sizes) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    for (size_t k = 0; k < kPlaneAxes; ++k) {
      const std::optional<int64_t> count = window_count(p.axis(arguments, sizes(arguments), k));
      if (count && *count > 0) continue;
      return fmt::format("windows of {} {} must have room in an image of {}.",
                         arguments.name(p.kernel), to_string(arguments.int_array(p.kernel)),
                         to_string(sizes(arguments)));
    }
    return std::nullopt;
  });
}

// The shape of the columns of an image of this shape.
Dims columns_shape(const Arguments& arguments, const Columns& p, const Dims& image,
                   const std::vector<int64_t>& sizes) {
  const WindowAxis rows = p.axis(arguments, sizes, 0), columns = p.axis(arguments, sizes, 1);
  const auto product = [](int64_t a, int64_t b) {
    int64_t all = 0;
    return __builtin_mul_overflow(a, b, &all) ? int64_t{-1} : all;
  };
  Dims shape;
  for (size_t i = 0; i + kPlaneAxes < image.size(); ++i) shape.push_back(image[i]);
  shape[shape.size() - 1] = product(product(shape[shape.size() - 1], rows.kernel), columns.kernel);
  shape.push_back(product(*window_count(rows), *window_count(columns)));
  return shape;
}

// ---- Forward ------------------------------------------------------------------------------------

namespace forward {

enum : size_t { kSelf, kKernelSize, kDilation, kPadding, kStride, kOut };
constexpr Columns kColumns{kSelf, kOut, kKernelSize, kDilation, kPadding, kStride};

std::vector<int64_t> sizes(const Arguments& arguments) {
  return spatial_sizes(arguments, kSelf, kPlaneAxes);
}

const OperatorSpec kSpec{
    "aclnnIm2col",
    {input("self"), attribute("kernelSize"), attribute("dilation"), attribute("padding"),
     attribute("stride"), output("out")},
    {not_null({kSelf, kKernelSize, kDilation, kPadding, kStride, kOut}),
     dtype_in(kSelf, kRealNumbersAndBool), same_dtype(kOut, kSelf), is_spatial(kSelf, kPlaneAxes),
     no_private_format(kOut), arrays_fit(kColumns), windows_fit(kColumns, sizes),
     has_shape_of(kOut, [](const Arguments& arguments) {
       return columns_shape(arguments, kColumns, arguments.shape(kSelf), sizes(arguments));
     })}};

// The windows of an axis whose element number `tap` is in the image.
struct Inside {
  int64_t begin, count, first;  // the first window, how many, and its element in the image
};
Inside inside(const WindowAxis& axis, int64_t tap) {
  const int64_t at = tap * axis.dilation - axis.begin;  // of window 0
  const int64_t begin = at < 0 ? (-at + axis.stride - 1) / axis.stride : 0;
  const int64_t end = at < axis.in ? (axis.in - at - 1) / axis.stride + 1 : 0;
  return {begin, std::min(end, *window_count(axis)) - begin, at + begin * axis.stride};
}

// A copy for each element of the windows, of all images and channels at once; 0 beside the image.
Plan plan(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  const WindowAxis axes[] = {kColumns.axis(arguments, sizes(arguments), 0),
                             kColumns.axis(arguments, sizes(arguments), 1)};
  const int64_t row_windows = *window_count(axes[1]);
  const size_t rank = arguments.shape(kSelf).size(), channel = rank - 3;
  const Dims& out = arguments.strides(kOut);
  ViewCopy all{arguments.shape(kSelf), whole(arguments, kSelf), whole(arguments, kSelf)};
  all.to.parameter = kOut;
  all.to.strides[0] = out[0];
  all.to.strides[channel] = out[channel] * axes[0].kernel * axes[1].kernel;
  all.to.strides[rank - 2] = out[channel + 1] * row_windows;
  all.to.strides[rank - 1] = out[channel + 1];
  const Dims steps = arguments.strides(kSelf);
  std::vector<ViewCopy> copies;
  for (int64_t tap = 0; tap < axes[0].kernel * axes[1].kernel; ++tap) {
    const Inside taps[] = {inside(axes[0], tap / axes[1].kernel),
                           inside(axes[1], tap % axes[1].kernel)};
    if (taps[0].count <= 0 || taps[1].count <= 0) continue;
    ViewCopy copy = all;
    copy.to.offset += tap * out[channel];
    for (size_t k = 0; k < kPlaneAxes; ++k) {
      const size_t dim = rank - 2 + k;
      copy.shape[dim] = taps[k].count;
      copy.from.offset += taps[k].first * steps[dim];
      copy.from.strides[dim] = axes[k].stride * steps[dim];
      copy.to.offset += taps[k].begin * copy.to.strides[dim];
    }
    copies.push_back(std::move(copy));
  }
  const Plan moved = plan_copies(copies);
  if (axes[0].begin == 0 && axes[1].begin == 0) return moved;
  const Plan zeros = elementwise(arguments, {kOut}, {}, constant(arguments.dtype(kOut), {}));
  return {[zeros = zeros.body, moved = moved.body](const Run& run) -> aclError {
    const aclError error = zeros(run);
    return error != ACL_SUCCESS || !moved ? error : moved(run);
  }};
}

}  // namespace forward

// ---- Backward -----------------------------------------------------------------------------------

namespace backward {

enum : size_t { kGradOutput, kInputSize, kKernelSize, kDilation, kPadding, kStride, kOut };
constexpr Columns kColumns{kOut, kGradOutput, kKernelSize, kDilation, kPadding, kStride};

std::vector<int64_t> sizes(const Arguments& arguments) {
  return spatial_sizes(arguments, kOut, kPlaneAxes);
}

Rule input_size_is_outs() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    if (arguments.int_array(kInputSize) == sizes(arguments)) return std::nullopt;
    if (arguments.int_array(kInputSize).size() != kPlaneAxes) {
      return fmt::format("{} must have two values, height and width, but has {}: {}.",
                         arguments.name(kInputSize), arguments.int_array(kInputSize).size(),
                         to_string(arguments.int_array(kInputSize)));
    }
    return fmt::format("{} must be the height and width of tensor {} {}, but is {}.",
                       arguments.name(kInputSize), arguments.name(kOut),
                       to_string(arguments.shape(kOut)),
                       to_string(arguments.int_array(kInputSize)));
  });
}

const OperatorSpec kSpec{
    "aclnnIm2colBackward",
    {input("gradOutput"), attribute("inputSize"), attribute("kernelSize"), attribute("dilation"),
     attribute("padding"), attribute("stride"), output("out")},
    {not_null({kGradOutput, kInputSize, kKernelSize, kDilation, kPadding, kStride, kOut}),
     dtype_in(kGradOutput, kRealFloats), same_dtype(kOut, kGradOutput),
     is_spatial(kOut, kPlaneAxes), no_private_format(kGradOutput), arrays_fit(kColumns),
     input_size_is_outs(), windows_fit(kColumns, sizes),
     has_shape_of(kGradOutput, [](const Arguments& arguments) {
       return columns_shape(arguments, kColumns, arguments.shape(kOut), sizes(arguments));
     })}};

struct Scratch {
  GrowingMemory row, plane;
};

// Plane by plane: the rows of its columns in their order, each added where it came from.
Plan plan(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  const std::vector<int64_t> size = sizes(arguments);
  const WindowAxis rows = kColumns.axis(arguments, size, 0);
  const WindowAxis columns = kColumns.axis(arguments, size, 1);
  const int64_t down = *window_count(rows), across = *window_count(columns);
  const int64_t taps = rows.kernel * columns.kernel, elements = rows.in * columns.in;
  const size_t outside = arguments.shape(kOut).size() - kPlaneAxes;
  const Slices target(arguments, kOut, dimensions(outside, kPlaneAxes));
  // A row of columns is a slice of the last dimension.
  const Slices source(arguments, kGradOutput, dimensions(outside, 1));
  return {[=](const Run& run) -> aclError {
    const int64_t grain =
        std::max<int64_t>(1, kMinPerThread / std::max(elements, taps * down * across));
    parallel_pieces(target.starts.count(), grain, [&](int64_t begin, int64_t end) {
      const ThreadScratch<Scratch> scratch;
      double* const row = scratch->row.of<double>(down * across);
      double* const plane = scratch->plane.of<double>(elements);
      for (int64_t i = begin; i < end; ++i) {
        std::fill_n(plane, elements, 0.0);
        for (int64_t tap = 0; tap < taps; ++tap) {
          source.read(run, 0, down * across, row, source.starts.offset(i * taps + tap));
          const int64_t top = tap / columns.kernel * rows.dilation - rows.begin;
          const int64_t left = tap % columns.kernel * columns.dilation - columns.begin;
          for (int64_t y = 0; y < down; ++y) {
            const int64_t h = top + y * rows.stride;
            if (h < 0 || h >= rows.in) continue;
            for (int64_t x = 0; x < across; ++x) {
              const int64_t w = left + x * columns.stride;
              if (w >= 0 && w < columns.in) plane[h * columns.in + w] += row[y * across + x];
            }
          }
        }
        target.write(run, plane, 0, elements, target.starts.offset(i));
      }
    });
    return ACL_SUCCESS;
  }};
}

}  // namespace backward

// ---- UnfoldGrad ---------------------------------------------------------------------------------

namespace unfold {

enum : size_t { kGradOut, kInputSizes, kDim, kSize, kStep, kGradIn };

Rule windows_fit() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(kGradIn);
    const std::vector<int64_t>& sizes = arguments.int_array(kInputSizes);
    if (sizes != std::vector<int64_t>(shape.begin(), shape.end())) {
      return fmt::format("{} must be the shape of tensor {} {}, but is {}.",
                         arguments.name(kInputSizes), arguments.name(kGradIn), to_string(shape),
                         to_string(sizes));
    }
    const int64_t in = shape[normalize_axis(arguments.integer(kDim), shape.size())];
    const int64_t size = arguments.integer(kSize);
    if (size >= 1 && size <= in && arguments.integer(kStep) >= 1) return std::nullopt;
    return fmt::format("{} must be within [1, {}] and {} at least 1, but they are {} and {}.",
                       arguments.name(kSize), in, arguments.name(kStep), size,
                       arguments.integer(kStep));
  });
}

Dims unfolded(const Arguments& arguments) {
  Dims shape = arguments.shape(kGradIn);
  int64_t& extent = shape[normalize_axis(arguments.integer(kDim), shape.size())];
  extent = (extent - arguments.integer(kSize)) / arguments.integer(kStep) + 1;
  shape.push_back(arguments.integer(kSize));
  return shape;
}

const OperatorSpec kSpec{
    "aclnnUnfoldGrad",
    {input("gradOut"), attribute("inputSizes"), attribute("dim"), attribute("size"),
     attribute("step"), output("gradIn")},
    {not_null({kGradOut, kInputSizes, kGradIn}), dtype_in(kGradOut, kRealFloats),
     same_dtype(kGradIn, kGradOut), max_rank(kGradOut), not_0d(kGradIn), axis_of(kDim, kGradIn),
     windows_fit(), has_shape_of(kGradOut, unfolded)}};

struct Scratch {
  GrowingMemory windows, line;
};

// Line by line along the dimension.
Plan plan(const Arguments& arguments) {
  if (arguments.empty(kGradIn)) return {};
  const Dims& shape = arguments.shape(kGradIn);
  const size_t axis = normalize_axis(arguments.integer(kDim), shape.size());
  const int64_t in = shape[axis], size = arguments.integer(kSize), step = arguments.integer(kStep);
  const int64_t count = (in - size) / step + 1;
  DimSet inside = dimensions(axis, 1);
  const Slices target(arguments, kGradIn, inside);
  inside[shape.size()] = true;
  const Slices source(arguments, kGradOut, inside);
  return {[=](const Run& run) -> aclError {
    const int64_t grain = std::max<int64_t>(1, kMinPerThread / std::max(in, count * size));
    parallel_pieces(target.starts.count(), grain, [&](int64_t begin, int64_t end) {
      const ThreadScratch<Scratch> scratch;
      double* const windows = scratch->windows.of<double>(count * size);
      double* const line = scratch->line.of<double>(in);
      for (int64_t i = begin; i < end; ++i) {
        source.read(run, 0, count * size, windows, source.starts.offset(i));
        std::fill_n(line, in, 0.0);
        for (int64_t k = 0; k < count * size; ++k) line[k / size * step + k % size] += windows[k];
        target.write(run, line, 0, in, target.starts.offset(i));
      }
    });
    return ACL_SUCCESS;
  }};
}

}  // namespace unfold
}  // namespace

ACLGRAD_OPERATOR(aclnnIm2col, forward::kSpec, forward::plan)
ACLGRAD_OPERATOR(aclnnIm2colBackward, backward::kSpec, backward::plan)
ACLGRAD_OPERATOR(aclnnUnfoldGrad, unfold::kSpec, unfold::plan)

}  // namespace aclgrad::ops::im2col
