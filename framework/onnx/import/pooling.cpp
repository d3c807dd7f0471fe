// SPDX-License-Identifier: Apache-2.0
// Maxima, averages and norms of windows.
#include <algorithm>
#include <cmath>
#include <limits>

#include "aclgrad/format.h"
#include "aclgrad/ops.h"
#include "onnx/import/windows.h"

namespace aclgrad::onnx {
namespace pooling_nodes {
namespace {

// Of one axis as of two, of which the first has one element.
Windows over_two_axes(const Windows& one) {
  Windows two = one;
  two.kernel.insert(two.kernel.begin(), 1);
  two.stride.insert(two.stride.begin(), 1);
  two.dilation.insert(two.dilation.begin(), 1);
  two.begin.insert(two.begin.begin(), 0);
  two.end.insert(two.end.begin(), 0);
  return two;
}

Windows pool_windows(const NodeCall& node) {
  return windows_of(node, node.shape(0), node.integers("kernel_shape"));
}

// Whether the pools here take the padding: the same at both ends, and at most half of the kernel.
bool is_plain(const Windows& windows) {
  bool plain = windows.is_symmetric();
  for (std::size_t i = 0; i < windows.axes(); ++i) {
    plain = plain && 2 * windows.begin[i] <= windows.kernel[i];
  }
  return plain;
}

// How much more is to stand behind each axis so that windows rounded down are all that there are.
Dims needed_end(const Windows& windows, const Shape& x) {
  Dims end = windows.end;
  for (std::size_t i = 0; i < windows.axes(); ++i) {
    const std::int64_t in = x.dims()[i + 2];
    const std::int64_t last = (windows.count(i, in) - 1) * windows.stride[i] + windows.reach(i);
    end[i] = std::max(end[i], last - in - windows.begin[i]);
  }
  return end;
}

ValuesAndIndices max_windows(Operand x, const Windows& windows) {
  MaxPoolOptions options{windows.stride, windows.begin, windows.ceil_mode, windows.dilation};
  if (windows.axes() == 3) return max_pool3d_with_indices(x, windows.kernel, options);
  if (windows.dilation == Dims(2, 1)) return max_pool2d_with_indices(x, windows.kernel, options);
  // Of volumes with one plane there are dilated ones.
  const auto front = [](Dims dims, std::int64_t number) {
    dims.insert(dims.begin(), number);
    return dims;
  };
  const Dims& dims = x.shape().dims();
  const ValuesAndIndices found = max_pool3d_with_indices(
      reshape(x, Dims{dims[0], dims[1], 1, dims[2], dims[3]}), front(windows.kernel, 1),
      {front(windows.stride, 1), front(windows.begin, 0), windows.ceil_mode,
       front(windows.dilation, 1)});
  const Dims& out = found.values.shape().dims();
  const Dims back = {out[0], out[1], out[3], out[4]};
  return {reshape(found.values, back), reshape(found.indices, back)};
}

// Places in a plane as ONNX counts them: in all of x, in the order of rows or of columns.
Value whole_places(const NodeCall& node, Value places, const Shape& x) {
  places = cast(places, DType::int64);
  const std::int64_t plane = Shape(spatial(x)).numel();
  if (node.integer("storage_order", 0) != 0) {
    node.require(x.rank() == 4, "storage_order 1 is there for images only");
    const double width = static_cast<double>(x[3]), height = static_cast<double>(x[2]);
    // Whole numbers divided in double, rounded towards 0.
    const Value row = cast(cast(places, DType::float64) / width, DType::int64);
    places = (places - row * width) * height + row;
  }
  Dims dims(places.shape().rank(), 1);
  dims[0] = x[0];
  dims[1] = x[1];
  const Tensor begins = Tensor::arange(x[0] * x[1], 0, static_cast<double>(plane), DType::int64);
  return places + node.constant(begins.reshape(Shape(dims)));
}

Items max_pool(const NodeCall& node) {
  Value x = node.value(0);
  const DType dtype = x.dtype();
  const Shape shape = x.shape();
  Windows windows = pool_windows(node);
  const bool is_line = windows.axes() == 1;
  node.require(windows.axes() <= 3, "there are pools over one to three axes");
  if (!is_floating(dtype)) x = cast(x, DType::float32);  // 8 bits, without a loss
  const bool plain = is_plain(windows);
  if (!plain) {
    x = pad(x, pad_pairs(windows.begin, needed_end(windows, shape)),
            -std::numeric_limits<double>::infinity());
    windows.begin = windows.end = Dims(windows.axes(), 0);
    windows.ceil_mode = false;
  }
  if (is_line) {
    x = with_two_axes(x);
    windows = over_two_axes(windows);
  }
  ValuesAndIndices found = max_windows(x, windows);
  if (is_line) found = {without_first_axis(found.values), without_first_axis(found.indices)};
  Items outputs = {cast(found.values, dtype)};
  if (node.wants(1)) {
    node.require(plain, "there are no places of maxima with this padding");
    outputs.emplace_back(whole_places(node, found.indices, shape));
  }
  return outputs;
}

// How many elements each window along an axis counts.
std::vector<double> counted(const Windows& windows, std::size_t axis, std::int64_t in,
                            bool with_padding) {
  std::vector<double> counts;
  for (std::int64_t i = 0; i < windows.count(axis, in); ++i) {
    std::int64_t count = 0;
    for (std::int64_t k = 0; k < windows.kernel[axis]; ++k) {
      const std::int64_t at =
          i * windows.stride[axis] - windows.begin[axis] + k * windows.dilation[axis];
      const bool is_element = at >= 0 && at < in;
      const bool is_padding =
          at >= -windows.begin[axis] && at < in + windows.end[axis] && !is_element;
      count += is_element || (is_padding && with_padding) ? 1 : 0;
    }
    counts.push_back(static_cast<double>(std::max<std::int64_t>(count, 1)));
  }
  return counts;
}

// The averages of x with zeros around it, times what makes them averages of what counts.
Value average_of_padded(Operand x, const Windows& windows, bool with_padding) {
  const Shape shape = x.shape();
  const std::size_t axes = windows.axes();
  const Value padded = pad(x, pad_pairs(windows.begin, needed_end(windows, shape)));
  const AvgPoolOptions options{windows.stride, 0};
  Value result = axes == 3 ? avg_pool3d(padded, windows.kernel, options)
                           : avg_pool2d(padded, windows.kernel, options);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    std::vector<double> factors = counted(windows, axis, shape.dims()[axis + 2], with_padding);
    for (double& factor : factors) factor = static_cast<double>(windows.kernel[axis]) / factor;
    Dims dims(axes, 1);
    dims[axis] = static_cast<std::int64_t>(factors.size());
    if (std::ranges::all_of(factors, [](double factor) { return factor == 1; })) continue;
    result = result * x.graph().constant(Tensor::from(Shape(dims), factors).to(x.dtype()));
  }
  return result;
}

// Averages over the windows of the node.
Value average(const NodeCall& node, Value x, const Windows& given, bool with_padding) {
  Windows windows = given;
  node.require(windows.axes() <= 3, "there are pools over one to three axes");
  const bool is_line = windows.axes() == 1;
  if (is_line) {
    x = with_two_axes(x);
    windows = over_two_axes(windows);
  }
  node.require(windows.dilation == Dims(windows.axes(), 1), "there are no dilated averages");
  Value result;
  if (is_plain(windows)) {
    const AvgPoolOptions options{windows.stride, windows.begin, windows.ceil_mode, with_padding};
    result = windows.axes() == 3 ? avg_pool3d(x, windows.kernel, options)
                                 : avg_pool2d(x, windows.kernel, options);
  } else {
    result = average_of_padded(x, windows, with_padding);
  }
  return is_line ? without_first_axis(result) : result;
}

Items average_pool(const NodeCall& node) {
  return {
      average(node, node.value(0), pool_windows(node), node.integer("count_include_pad", 0) != 0)};
}

// (sum of |x|^p)^(1/p) over each window; zeros around x add nothing.
Items lp_pool(const NodeCall& node) {
  const double p = static_cast<double>(node.integer("p", 2));
  const Windows windows = pool_windows(node);
  const double size = static_cast<double>(Shape(windows.kernel).numel());
  return {pow(average(node, pow(abs(node.value(0)), p), windows, true) * size, 1 / p)};
}

Dims all_spatial(const NodeCall& node) {
  Dims axes;
  for (std::size_t axis = 2; axis < node.shape(0).rank(); ++axis) {
    axes.push_back(static_cast<std::int64_t>(axis));
  }
  return axes;
}

Items global_average_pool(const NodeCall& node) {
  return {mean(node.value(0), all_spatial(node), true)};
}
Items global_max_pool(const NodeCall& node) {
  return {amax(node.value(0), all_spatial(node), true)};
}
Items global_lp_pool(const NodeCall& node) {
  const double p = static_cast<double>(node.integer("p", 2));
  return {norm(node.value(0), all_spatial(node), {.p = p, .keepdim = true})};
}

// Planes with the elements of x at their places, which count in the whole of the unpooled tensor.
Items max_unpool(const NodeCall& node) {
  const Value x = node.value(0);
  node.require(x.shape().rank() == 4, "there is MaxUnpool of images only");
  const Windows windows = pool_windows(node);
  Dims natural, size;
  for (std::size_t i = 0; i < 2; ++i) {
    natural.push_back((x.shape().dims()[i + 2] - 1) * windows.stride[i] - windows.begin[i] -
                      windows.end[i] + windows.kernel[i]);
  }
  size = natural;
  if (node.has(2)) {
    const Dims all = node.known_numbers(2, "the shape of the output");
    if (all.size() != 4) throw ShapeError("the shape of the output must have four numbers");
    size = {all[2], all[3]};
  }
  // Indices are of the natural size, in which ONNX counts.
  const std::int64_t plane = natural[0] * natural[1];
  const Tensor begins =
      Tensor::arange(x.shape()[0] * x.shape()[1], 0, static_cast<double>(plane), DType::int64);
  const Value places =
      node.value(1) - node.constant(begins.reshape(Shape{x.shape()[0], x.shape()[1], 1, 1}));
  const Value unpooled = max_unpool2d(x, places, natural);
  if (size == natural) return {unpooled};
  return {pad(unpooled, pad_pairs({0, 0}, {size[0] - natural[0], size[1] - natural[1]}))};
}

constexpr Operator kOperators[] = {
    {"AveragePool", average_pool},
    {"GlobalAveragePool", global_average_pool},
    {"GlobalLpPool", global_lp_pool},
    {"GlobalMaxPool", global_max_pool},
    {"LpPool", lp_pool},
    {"MaxPool", max_pool},
    {"MaxUnpool", max_unpool, 0b100},
};

}  // namespace
}  // namespace pooling_nodes

std::span<const Operator> pooling_operators() { return pooling_nodes::kOperators; }

}  // namespace aclgrad::onnx
