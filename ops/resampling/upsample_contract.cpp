// SPDX-License-Identifier: Apache-2.0
// Resizing: the nearest element, linear and cubic interpolation.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "aclnnop/aclnn_upsample_bicubic_2d.h"
#include "aclnnop/aclnn_upsample_bicubic_2d_backward.h"
#include "aclnnop/aclnn_upsample_bilinear_2d.h"
#include "aclnnop/aclnn_upsample_bilinear_2d_backward.h"
#include "aclnnop/aclnn_upsample_linear_1d.h"
#include "aclnnop/aclnn_upsample_linear_1d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_1d.h"
#include "aclnnop/aclnn_upsample_nearest_1d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_2d.h"
#include "aclnnop/aclnn_upsample_nearest_2d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_3d.h"
#include "aclnnop/aclnn_upsample_nearest_3d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact_1d.h"
#include "aclnnop/aclnn_upsample_nearest_exact_1d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact_2d.h"
#include "aclnnop/aclnn_upsample_nearest_exact_2d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact_3d.h"
#include "aclnnop/aclnn_upsample_nearest_exact_3d_backward.h"
#include "aclnnop/aclnn_upsample_trilinear_3d.h"
#include "aclnnop/aclnn_upsample_trilinear_3d_backward.h"
#include "ops/resampling/axes_contract.h"

namespace aclgrad::contract {
namespace {

// Files are compiled together.
namespace upsampling {

enum class Kind { kNearest, kNearestExact, kLinear, kCubic };

struct Resize {
  Kind kind;
  size_t axes;
  const char* check;  // the gradient's name for the gradcheck tool
  const char* mode;   // Interpolation::...

  bool is_smooth() const { return kind == Kind::kLinear || kind == Kind::kCubic; }
};

const char* const kScales[][3] = {
    {"scales"}, {"scalesH", "scalesW"}, {"scalesD", "scalesH", "scalesW"}};

std::vector<std::string> scales_of(size_t axes) {
  return {kScales[axes - 1], kScales[axes - 1] + axes};
}

// ---- Coordinates, in the type that the header names ---------------------------------------------

struct Line {
  int64_t in, out;
  bool corners;
  double scale;  // 0: none
};

template <class T>
T ratio_of(const Line& line) {
  if (line.corners) return line.out == 1 ? 0 : T(line.in - 1) / T(line.out - 1);
  return line.scale != 0 ? T(1 / line.scale) : T(line.in) / T(line.out);
}

int64_t nearest(const Line& line, int64_t i) {
  if (line.in == line.out) return i;
  if (line.out == 2 * line.in) return i >> 1;
  return std::min<int64_t>(int64_t(float(i) * ratio_of<float>(line)), line.in - 1);
}

int64_t nearest_exact(const Line& line, int64_t i) {
  return std::min<int64_t>(int64_t((float(i) + 0.5F) * ratio_of<float>(line)), line.in - 1);
}

// Keys's kernel for a = -0.75.
Number keys(Number distance) {
  constexpr Number a = -0.75L;
  const Number x = std::abs(distance);
  if (x <= 1) return (a + 2) * x * x * x - (a + 3) * x * x + 1;
  return x < 2 ? a * x * x * x - 5 * a * x * x + 8 * a * x - 4 * a : 0;
}

template <class T>
std::vector<Tap> interpolated(const Line& line, int64_t i, bool is_cubic) {
  if (!is_cubic && line.in == line.out) return {{i, 1}};
  const T ratio = ratio_of<T>(line);
  T at = line.corners ? ratio * T(i) : ratio * (T(i) + T(0.5)) - T(0.5);
  if (!is_cubic && at < 0) at = 0;
  const T floor = std::floor(at);
  const Number rest = at - floor;
  std::vector<Tap> taps;
  for (int64_t k = is_cubic ? -1 : 0; k <= (is_cubic ? 2 : 1); ++k) {
    const Number distance = std::abs(static_cast<Number>(k) - rest);
    const Number weight = is_cubic ? keys(distance) : 1 - distance;
    taps.push_back({std::clamp<int64_t>(int64_t(floor) + k, 0, line.in - 1), weight});
  }
  return taps;
}

Axes resize_axes(const Arguments& a, const Resize& resize, const std::vector<std::string>& scales) {
  const Shape in = last_sizes(a.shape(a.has("self") ? "self" : "gradInput"), resize.axes);
  const Shape& out = a.array("outputSize");
  if (out.size() != resize.axes)
    throw std::invalid_argument("outputSize has a number for each axis");
  const bool corners = resize.is_smooth() && a.number("alignCorners") != 0;
  Axes all;
  for (size_t k = 0; k < resize.axes; ++k) {
    Line line{in[k], out[k], corners, 0};
    if (line.out < 1) throw std::invalid_argument("sizes are above 0");
    const double scale = scales.empty() ? 0 : static_cast<double>(a.number(scales[k]));
    if (scale > 0 && std::floor(scale * double(line.in)) == double(line.out)) line.scale = scale;
    Axis& axis = all.emplace_back(Axis{line.in});
    for (int64_t i = 0; i < line.out; ++i) {
      if (resize.kind == Kind::kNearest) {
        axis.taps.push_back({{nearest(line, i), 1}});
      } else if (resize.kind == Kind::kNearestExact) {
        axis.taps.push_back({{nearest_exact(line, i), 1}});
      } else if (a.dtype() == ACL_FLOAT || a.dtype() == ACL_FLOAT16 || a.dtype() == ACL_BF16) {
        axis.taps.push_back(interpolated<float>(line, i, resize.kind == Kind::kCubic));
      } else {
        axis.taps.push_back(interpolated<double>(line, i, resize.kind == Kind::kCubic));
      }
    }
  }
  return all;
}

// ---- The operators ------------------------------------------------------------------------------

const std::vector<Shape> kShapes = {{1, 2, 4}, {1, 2, 2, 4}, {1, 1, 2, 3, 4}};
// inputSize, which is the whole shape, does not grow with it.
const std::vector<Shape> kBases = {{2, 2, 4}, {2, 2, 3, 4}, {2, 1, 2, 3, 4}};
const std::vector<Shape> kLarge = {{2, 3, 50}, {2, 3, 11, 23}, {1, 2, 4, 5, 19}};

// Sizes, of the last `axes` axes, with a scale that leads there, or 0.
Sample resized_to(size_t axes, const Shape& sizes, double scale = 0, bool corners = false) {
  const auto last = [axes](const Shape& shape) {
    return Shape(shape.end() - static_cast<std::ptrdiff_t>(axes), shape.end());
  };
  Sample sample{{{"outputSize", last(sizes)}}};
  for (const char* name : {"scales", "scalesD", "scalesH", "scalesW", "scaleH", "scaleW"}) {
    sample.settings.emplace_back(name, scale);
  }
  if (corners) sample.settings.emplace_back("alignCorners", 1.0);
  return sample;
}

std::vector<Sample> samples_of(const Resize& resize) {
  // Of bases of 2, 3 and 4 elements along the axes.
  std::vector<Sample> samples = {
      resized_to(resize.axes, {5, 4, 7}), resized_to(resize.axes, {1, 2, 2}, -1),
      resized_to(resize.axes, {3, 4, 6}, 1.5), resized_to(resize.axes, {4, 6, 8}),
      resized_to(resize.axes, {2, 3, 4}, 1)};
  if (resize.is_smooth()) {
    samples.push_back(resized_to(resize.axes, {2, 3, 4}, 1.1));
    samples.push_back(resized_to(resize.axes, {4, 5, 6}, 1.5, true));
    samples.push_back(resized_to(resize.axes, {1, 1, 1}, 0, true));
  }
  return samples;
}

Shape last_of(const Shape& shape, size_t count) {
  return {shape.end() - static_cast<std::ptrdiff_t>(count), shape.end()};
}

// The parameters between the first tensor's sizes and the result.
std::vector<Parameter> options_of(const Resize& resize, const std::vector<std::string>& scales,
                                  bool are_floats) {
  std::vector<Parameter> options;
  if (resize.is_smooth()) options.push_back(flag("alignCorners"));
  for (const std::string& scale : scales) {
    options.push_back(are_floats ? declared({scale, 0.0}, "float") : Parameter{scale, 0.0});
  }
  return options;
}

Domain resizing(const Resize& resize, const std::vector<std::string>& scales, std::string base) {
  Domain domain{.everywhere = kFloatsAndDouble,
                .max_rank = resize.axes + 2,
                .grows = false,
                .base = base,
                .base_shape = kBases[resize.axes - 1],
                .samples = samples_of(resize)};
  domain.arrange = [=](Arguments& a) {
    const Shape tensor = a.shape(base);
    if (tensor.size() != resize.axes + 2)
      throw std::invalid_argument("a batch of channels is resized");
    a.reshape({"out", "gradOutput"}, resized(tensor, resize_axes(a, resize, scales)));
    if (a.has("inputSize")) a.array("inputSize") = tensor;
  };
  Sample large = resized_to(resize.axes, {7, 17, 41}, 0);
  large.settings.emplace_back(base, kLarge[resize.axes - 1]);
  domain.value_samples = {large};
  return domain;
}

std::vector<ErrorInput> wrong_sizes(const Resize& resize, const std::string& tensor,
                                    const Shape& shape) {
  std::vector<ErrorInput> wrong = wrong_spatial(tensor, shape);
  wrong.push_back(
      wrong_values("outputSize", "that are another tensor's", Shape(resize.axes, 9), "9"));
  wrong.push_back(wrong_values("outputSize", "= 0", Shape(resize.axes, 0), "sizes above 0"));
  wrong.push_back(wrong_values("outputSize", "of four numbers", {1, 2, 3, 4}, "[1, 2, 3, 4]"));
  return wrong;
}

std::string in_graph(const Resize& resize) {
  return std::string("interpolate(x, {.size = size, .mode = Interpolation::") + resize.mode + "})";
}

Words words_of(const Resize& resize) {
  switch (resize.kind) {
    case Kind::kNearest:
      return {"resized: the nearest element", "最近邻缩放", in_graph(resize)};
    case Kind::kNearestExact:
      return {"resized: the element that the middle is in", "精确最近邻缩放", in_graph(resize)};
    case Kind::kLinear:
      return {"resized, interpolated linearly", "线性插值缩放", in_graph(resize)};
    default:
      return {"resized, interpolated by cubic polynomials", "三次插值缩放", in_graph(resize)};
  }
}

// Coordinates are rounded in FLOAT beside FLOAT, which a derivative in DOUBLE does not know. Of a
// cubic weight close to 0 little is left of its terms.
void allow_rounded_weights(const Resize& resize, Results& results) {
  if (resize.is_smooth()) results.bound.inner = 64;
  if (resize.kind != Kind::kCubic) return;
  results.bound.of_double = 64;
  results.least_magnitude_double = 1;
}

Operator forward_of(Signature call, const Resize& resize, const std::vector<std::string>& scales,
                    bool are_floats = false) {
  const Shape& shape = kShapes[resize.axes - 1];
  Operator op{.call = std::move(call)};
  op.call.parameters = std::vector<Parameter>{shaped(in("self"), shape),
                                              values("outputSize", last_of(shape, resize.axes))} +
                       options_of(resize, scales, are_floats) +
                       std::vector<Parameter>{shaped(out("out"), shape)};
  op.domain = resizing(resize, scales, "self");
  if (!resize.is_smooth()) op.domain.everywhere.push_back(ACL_UINT8);
  op.results = axes_results([=](const Arguments& a) { return resize_axes(a, resize, scales); });
  allow_rounded_weights(resize, op.results);
  op.error_inputs = wrong_sizes(resize, "self", shape);
  op.words = words_of(resize);
  return op;
}

Operator backward_of(Signature call, const Resize& resize, std::string forward,
                     const std::vector<std::string>& counting) {
  const Shape& shape = kShapes[resize.axes - 1];
  const std::vector<std::string> scales = scales_of(resize.axes);
  Operator op{.call = std::move(call)};
  op.call.parameters = std::vector<Parameter>{shaped(in("gradOutput"), shape),
                                              values("outputSize", last_of(shape, resize.axes)),
                                              no_option(values("inputSize", shape))} +
                       options_of(resize, scales, false) +
                       std::vector<Parameter>{shaped(out("gradInput"), shape)};
  op.domain = resizing(resize, counting, "gradInput");
  op.results = adjoint_results([=](const Arguments& a) { return resize_axes(a, resize, counting); },
                               "gradInput");
  allow_rounded_weights(resize, op.results);
  op.results.nan_goes_through = true;
  op.gradient = Gradient{.of = std::move(forward),
                         .inputs = [](const Arguments&, const Arrays&, const Arrays&,
                                      const Array& gradient) { return Arrays{gradient}; }};
  op.error_inputs = wrong_sizes(resize, "gradOutput", shape);
  op.error_inputs.push_back(wrong_values("inputSize", "of the spatial axes alone",
                                         last_of(shape, resize.axes), "inputSize"));
  op.words = words_of(resize);
  op.words.computes = {"the gradient of what is " + op.words.computes.english,
                       op.words.computes.chinese + "的梯度"};
  op.words.in_graph = "interpolate_backward(g, x, attributes)";
  op.words.check = resize.check;
  return op;
}

void add_pair(std::vector<Operator>& all, Signature forward, Signature backward, Kind kind,
              size_t axes, const char* check, const char* mode) {
  const std::vector<std::string> scales = scales_of(axes);
  const Resize resize{kind, axes, check, mode};
  all.push_back(forward_of(std::move(forward), resize, scales));
  all.push_back(backward_of(std::move(backward), resize, all.back().name(), scales));
}

#define ACLGRAD_RESIZED(function, ...) \
  add_pair(all, ACLGRAD_CALL(function), ACLGRAD_CALL(function##Backward), __VA_ARGS__)

void add_all(std::vector<Operator>& all) {
  const Resize line{Kind::kNearest, 1, "upsample_nearest1d", "nearest"};
  all.push_back(forward_of(ACLGRAD_CALL(aclnnUpsampleNearest1d), line, {}));
  all.push_back(backward_of(ACLGRAD_CALL(aclnnUpsampleNearest1dBackward), line,
                            "aclnnUpsampleNearest1d", {}));
  const Resize plane{Kind::kNearest, 2, "upsample_nearest2d", "nearest"};
  all.push_back(forward_of(ACLGRAD_CALL(aclnnUpsampleNearest2d), plane, {}));
  all.back().words.check = "upsample_nearest2d_by_size";
  all.push_back(
      forward_of(ACLGRAD_CALL(aclnnUpsampleNearest2dV2), plane, {"scaleH", "scaleW"}, true));
  all.push_back(backward_of(ACLGRAD_CALL(aclnnUpsampleNearest2dBackward), plane,
                            "aclnnUpsampleNearest2dV2", scales_of(2)));
  ACLGRAD_RESIZED(aclnnUpsampleNearest3d, Kind::kNearest, 3, "upsample_nearest3d", "nearest");
  ACLGRAD_RESIZED(aclnnUpsampleNearestExact1d, Kind::kNearestExact, 1, "upsample_nearest_exact1d",
                  "nearest_exact");
  ACLGRAD_RESIZED(aclnnUpsampleNearestExact2d, Kind::kNearestExact, 2, "upsample_nearest_exact2d",
                  "nearest_exact");
  ACLGRAD_RESIZED(aclnnUpsampleNearestExact3d, Kind::kNearestExact, 3, "upsample_nearest_exact3d",
                  "nearest_exact");
  ACLGRAD_RESIZED(aclnnUpsampleLinear1d, Kind::kLinear, 1, "upsample_linear1d", "linear");
  ACLGRAD_RESIZED(aclnnUpsampleBilinear2d, Kind::kLinear, 2, "upsample_bilinear2d", "linear");
  const Resize bilinear{Kind::kLinear, 2, "upsample_bilinear2d_v2", "linear"};
  all.push_back(backward_of(ACLGRAD_CALL(aclnnUpsampleBilinear2dBackwardV2), bilinear,
                            "aclnnUpsampleBilinear2d", scales_of(2)));
  all.back().call.form_of = "aclnnUpsampleBilinear2dBackward";
  ACLGRAD_RESIZED(aclnnUpsampleBicubic2d, Kind::kCubic, 2, "upsample_bicubic2d", "cubic");
  ACLGRAD_RESIZED(aclnnUpsampleTrilinear3d, Kind::kLinear, 3, "upsample_trilinear3d", "linear");
}

}  // namespace upsampling
}  // namespace

void add_upsampling(std::vector<Operator>& all) { upsampling::add_all(all); }

}  // namespace aclgrad::contract
