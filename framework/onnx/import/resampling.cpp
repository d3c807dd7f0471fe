// SPDX-License-Identifier: Apache-2.0
// Resizing and reading at places. A resized axis is a product with a matrix that the recording
// computes, or a choice of elements, so that all of ONNX's ways of counting places are there.
#include <algorithm>
#include <cmath>

#include "aclgrad/format.h"
#include "aclgrad/ops.h"
#include "onnx/import/operators.h"

namespace aclgrad::onnx {
namespace resampling_nodes {
namespace {

// How one axis is resized.
struct Axis {
  std::int64_t in, out;
  double scale;
  double begin = 0, end = 1;  // what of it is read, of tf_crop_and_resize
};

// Where in x an element of the result is read.
double place(const Axis& axis, const std::string& way, std::int64_t element) {
  const auto at = static_cast<double>(element), in = static_cast<double>(axis.in);
  if (way == "half_pixel") return (at + 0.5) / axis.scale - 0.5;
  if (way == "pytorch_half_pixel") return axis.out > 1 ? (at + 0.5) / axis.scale - 0.5 : 0;
  if (way == "asymmetric") return at / axis.scale;
  if (way == "tf_half_pixel_for_nn") return (at + 0.5) / axis.scale;
  if (way == "align_corners") {
    const double last = axis.scale * in - 1;
    return last == 0 ? 0 : at * (in - 1) / last;
  }
  if (way == "half_pixel_symmetric") {
    const double adjusted = static_cast<double>(axis.out) / (axis.scale * in);
    return in / 2 * (1 - adjusted) + (at + 0.5) / axis.scale - 0.5;
  }
  if (way == "tf_crop_and_resize") {
    if (axis.out <= 1) return 0.5 * (axis.begin + axis.end) * (in - 1);
    return axis.begin * (in - 1) +
           at * (axis.end - axis.begin) * (in - 1) / static_cast<double>(axis.out - 1);
  }
  throw ValueError(fmt::format("there are no coordinates `{}`", way));
}

std::int64_t nearest(double at, const std::string& way) {
  if (way == "round_prefer_floor") return static_cast<std::int64_t>(std::ceil(at - 0.5));
  if (way == "round_prefer_ceil") return static_cast<std::int64_t>(std::floor(at + 0.5));
  if (way == "floor") return static_cast<std::int64_t>(std::floor(at));
  if (way == "ceil") return static_cast<std::int64_t>(std::ceil(at));
  throw ValueError(fmt::format("there is no nearest_mode `{}`", way));
}

// Keys's cubic kernel at a distance.
double cubic(double distance, double a) {
  const double d = std::abs(distance);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  if (d < 2) return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  return 0;
}

// The weights of the elements of x in each element of the result.
Tensor weights(const NodeCall& node, const Axis& axis, const std::string& way, bool is_cubic) {
  if (axis.in * axis.out > (std::int64_t{1} << 28))
    throw ShapeError("an axis is too long to resize");
  const double a = node.number("cubic_coeff_a", -0.75);
  const bool exclude = node.integer("exclude_outside", 0) != 0;
  Tensor matrix = Tensor::zeros({axis.in, axis.out}, DType::float64);
  const std::span<double> all = matrix.data<double>();
  const std::int64_t first = is_cubic ? -1 : 0, last = is_cubic ? 2 : 1;
  for (std::int64_t o = 0; o < axis.out; ++o) {
    const double at = place(axis, way, o), below = std::floor(at);
    std::vector<double> each;
    double sum = 0;
    for (std::int64_t k = first; k <= last; ++k) {
      const double from = below + static_cast<double>(k);
      const bool outside = from < 0 || from >= static_cast<double>(axis.in);
      const double distance = at - from;
      const double weight = is_cubic ? cubic(distance, a) : 1 - std::abs(distance);
      each.push_back(exclude && is_cubic && outside ? 0 : weight);
      sum += each.back();
    }
    for (std::int64_t k = first; k <= last; ++k) {
      const std::int64_t from =
          std::clamp<std::int64_t>(static_cast<std::int64_t>(below) + k, 0, axis.in - 1);
      const double weight = each[static_cast<std::size_t>(k - first)];
      all[static_cast<std::size_t>(from * axis.out + o)] +=
          exclude && is_cubic ? weight / sum : weight;
    }
  }
  return matrix;
}

Value resized(const NodeCall& node, const Value& x, std::int64_t number, const Axis& axis,
              const std::string& mode, const std::string& way) {
  if (axis.out > (1 << 28)) throw ShapeError("an axis is resized to more than there is room for");
  if (mode == "nearest") {
    const std::string rounding =
        node.text("nearest_mode", node.opset() >= 11 ? "round_prefer_floor" : "floor");
    Tensor places = Tensor::zeros({axis.out}, DType::int64);
    for (std::int64_t o = 0; o < axis.out; ++o) {
      const std::int64_t from = nearest(place(axis, way, o), rounding);
      places.data<std::int64_t>()[static_cast<std::size_t>(o)] =
          std::clamp<std::int64_t>(from, 0, axis.in - 1);
    }
    return index_select(x, number, node.constant(std::move(places)));
  }
  if (mode != "linear" && mode != "cubic") node.unsupported("there is no mode `{}`", mode);
  const Tensor matrix = weights(node, axis, way, mode == "cubic");
  const auto last = static_cast<std::int64_t>(x.shape().rank()) - 1;
  const Value product = matmul(transpose(x, number, last), node.constant(matrix.to(x.dtype())));
  return transpose(product, number, last);
}

// The usual ways along the spatial axes have a node, whose work does not grow with their sizes.
bool has_node(const NodeCall& node, const std::vector<Axis>& axes, const std::string& mode,
              const std::string& way) {
  if (axes.size() < 3 || axes.size() > 5 || axes[0].in != axes[0].out ||
      axes[1].in != axes[1].out) {
    return false;
  }
  bool exact = true;  // whether the scale is that of the sizes
  for (const Axis& axis : axes) {
    exact = exact && axis.scale == static_cast<double>(axis.out) / static_cast<double>(axis.in);
    if (axis.out == 1 && axis.in != 1) return false;
  }
  if (!exact || node.integer("exclude_outside", 0) != 0) return false;
  if (mode == "cubic") {
    return axes.size() == 4 && node.number("cubic_coeff_a", -0.75) == -0.75 &&
           (way == "half_pixel" || way == "align_corners");
  }
  return mode == "linear" && (way == "half_pixel" || way == "align_corners");
}

Value resize(const NodeCall& node, const std::vector<Axis>& axes, std::string mode,
             const std::string& way) {
  Value x = node.value(0);
  const DType dtype = x.dtype();
  if (mode == "bilinear" || mode == "trilinear") mode = "linear";
  if (mode != "nearest" && !is_floating(dtype)) x = cast(x, DType::float32);
  if (is_floating(dtype) && has_node(node, axes, mode, way)) {
    Dims sizes;
    for (std::size_t i = 2; i < axes.size(); ++i) sizes.push_back(axes[i].out);
    return interpolate(x, {.size = sizes,
                           .mode = mode == "cubic" ? Interpolation::cubic : Interpolation::linear,
                           .align_corners = way == "align_corners"});
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].in == axes[i].out && axes[i].scale == 1 && way != "tf_crop_and_resize") continue;
    if (axes[i].in == 0) throw ShapeError("an axis without elements is resized");
    x = resized(node, x, static_cast<std::int64_t>(i), axes[i], mode, way);
  }
  if (way == "tf_crop_and_resize") {
    const Value beyond = node.constant(node.number("extrapolation_value", 0), x.dtype());
    for (std::size_t i = 0; i < axes.size(); ++i) {
      Dims dims(axes.size(), 1);
      dims[i] = axes[i].out;
      Tensor inside = Tensor::zeros(Shape(dims), DType::boolean);
      for (std::int64_t o = 0; o < axes[i].out; ++o) {
        const double at = place(axes[i], way, o);
        inside.set(o, at >= 0 && at <= static_cast<double>(axes[i].in - 1) ? 1 : 0);
      }
      x = where(node.constant(inside), x, beyond);
    }
  }
  return cast(x, dtype);
}

// The axes of x, unchanged.
std::vector<Axis> axes_of(const Shape& shape) {
  std::vector<Axis> axes;
  for (const std::int64_t extent : shape) axes.push_back({extent, extent, 1});
  return axes;
}

void set_scale(Axis& axis, double scale) {
  const double out = std::floor(static_cast<double>(axis.in) * scale);
  if (!(scale > 0) || !(out < 2147483648.0)) {
    throw ValueError(fmt::format("the scale {} is out of range", scale));
  }
  axis.scale = scale;
  axis.out = static_cast<std::int64_t>(out);
}

// The numbers of an input that there are, as doubles.
std::vector<double> known_doubles(const NodeCall& node, std::size_t input, std::string_view why) {
  if (!node.has(input)) return {};
  const Tensor numbers = node.known(input, why).to(DType::float64);
  return {numbers.data<double>().begin(), numbers.data<double>().end()};
}

Items resize_node(const NodeCall& node) {
  const Shape& shape = node.shape(0);
  std::vector<Axis> axes = axes_of(shape);
  const bool has_roi = node.opset() >= 11;
  const std::vector<double> scales = known_doubles(node, has_roi ? 2 : 1, "the scales");
  const std::vector<double> sizes = known_doubles(node, has_roi ? 3 : 9, "the sizes");
  const std::vector<double> roi = has_roi ? known_doubles(node, 1, "roi") : std::vector<double>{};
  node.require(node.integer("antialias", 0) == 0, "there is no antialiasing");
  node.require(node.text("keep_aspect_ratio_policy", "stretch") == "stretch",
               "keep_aspect_ratio_policy must be `stretch`");
  Dims numbers = node.integers("axes");
  if (numbers.empty()) {
    for (std::size_t i = 0; i < axes.size(); ++i) numbers.push_back(static_cast<std::int64_t>(i));
  }
  const std::vector<double>& given = sizes.empty() ? scales : sizes;
  if (given.size() != numbers.size()) {
    throw ValueError(
        fmt::format("there are {} scales or sizes, expected {}", given.size(), numbers.size()));
  }
  const std::string way =
      node.text("coordinate_transformation_mode", has_roi ? "half_pixel" : "asymmetric");
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    Axis& axis = axes[shape.normalize_axis(numbers[i])];
    if (sizes.empty()) {
      set_scale(axis, scales[i]);
    } else {
      if (!(sizes[i] >= 1 && sizes[i] < 2147483648.0)) throw ValueError("a size is out of range");
      axis.out = static_cast<std::int64_t>(sizes[i]);
      axis.scale = sizes[i] / static_cast<double>(axis.in);
    }
    if (way == "tf_crop_and_resize") {
      if (roi.size() != 2 * numbers.size()) throw ValueError("roi must have two numbers an axis");
      axis.begin = roi[i];
      axis.end = roi[i + numbers.size()];
    }
  }
  return {resize(node, axes, node.text("mode", "nearest"), way)};
}

// Of opset 7 with the scales as an attribute, of opset 9 as an input.
Items upsample(const NodeCall& node) {
  std::vector<Axis> axes = axes_of(node.shape(0));
  const std::vector<double> scales =
      node.has_attribute("scales") ? node.numbers("scales") : known_doubles(node, 1, "the scales");
  if (scales.size() != axes.size()) throw ValueError("there must be a scale for each axis");
  for (std::size_t i = 0; i < axes.size(); ++i) set_scale(axes[i], scales[i]);
  return {resize(node, axes, node.text("mode", "nearest"), "asymmetric")};
}

Items grid_sample_node(const NodeCall& node) {
  const std::string mode = node.text("mode", "bilinear");
  const std::string padding = node.text("padding_mode", "zeros");
  GridSampleOptions options;
  options.align_corners = node.integer("align_corners", 0) != 0;
  if (mode == "nearest") {
    options.mode = Interpolation::nearest;
  } else if (mode == "bicubic" || mode == "cubic") {
    options.mode = Interpolation::cubic;
  } else if (mode != "bilinear" && mode != "linear") {
    node.unsupported("there is no mode `{}`", mode);
  }
  if (padding == "border") options.padding = GridPadding::border;
  if (padding == "reflection") options.padding = GridPadding::reflection;
  return {grid_sample(node.value(0), node.value(1), options)};
}

constexpr Operator kOperators[] = {
    {"GridSample", grid_sample_node},
    {"Resize", resize_node, 0b1110},
    {"Upsample", upsample, 0b10},
};

}  // namespace
}  // namespace resampling_nodes

std::span<const Operator> resampling_operators() { return resampling_nodes::kOperators; }

}  // namespace aclgrad::onnx
