// SPDX-License-Identifier: Apache-2.0
// Averages and maxima of windows of images.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "aclnnop/aclnn_adaptive_avg_pool2d.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "aclnnop/aclnn_avgpool2d.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "ops/contract/dense.h"
#include "ops/contract/describe.h"

namespace aclgrad::contract {
namespace {

using dense::term;

// ---- Windows ------------------------------------------------------------------------------------

struct Window {
  int64_t begin, end;  // of the elements of the axis
  int64_t whole;       // elements with the padding counted
};

// The value of an array for height (0) or width (1); of the first of two names that there is.
int64_t value_for(const Arguments& a, size_t axis, const char* name, const char* other) {
  const Shape& values = a.array(a.has(name) ? name : other);
  if (values.size() > 2) throw std::invalid_argument("one value for both axes, or two");
  return values.size() == 2 ? values[axis] : values.at(0);
}

std::vector<Window> windows_of(const Arguments& a, const Shape& image, size_t axis) {
  const int64_t in = image[image.size() - 2 + axis];
  const int64_t kernel = value_for(a, axis, "kernelSize", "");
  const int64_t padding = value_for(a, axis, "padding", "paddings");
  const bool has_stride = !a.array(a.has("stride") ? "stride" : "strides").empty();
  const int64_t stride = has_stride ? value_for(a, axis, "stride", "strides") : kernel;
  const bool up = a.number("ceilMode") != 0;
  std::vector<Window> windows;
  for (int64_t start = -padding;; start += stride) {
    // Rounded up, there is one more for elements that a window before it would not reach.
    const bool fits = start + kernel <= in + padding;
    if (!fits && (!up || start >= in || start - stride + kernel >= in + padding)) break;
    windows.push_back({std::max<int64_t>(start, 0), std::min(in, start + kernel),
                       std::min(start + kernel, in + padding) - start});
  }
  return windows;
}

std::vector<Window> adaptive_windows(int64_t in, int64_t out) {
  std::vector<Window> windows;
  for (int64_t i = 0; i < out; ++i) {
    const int64_t begin = i * in / out, end = ((i + 1) * in + out - 1) / out;
    windows.push_back({begin, end, end - begin});
  }
  return windows;
}

// Calls visit(place in the output, place in the image, divisor) for every element under a window.
template <class Visit>
void for_each_pair(const Shape& image, const std::vector<Window>& rows,
                   const std::vector<Window>& columns, bool with_padding, const Visit& visit) {
  const int64_t height = image[image.size() - 2], width = image.back();
  int64_t to = 0;
  for (int64_t plane = 0; plane < count_of(image) / (height * width); ++plane) {
    for (const Window& row : rows) {
      for (const Window& column : columns) {
        const int64_t whole = row.whole * column.whole;
        const int64_t real = (row.end - row.begin) * (column.end - column.begin);
        for (int64_t h = row.begin; h < row.end; ++h) {
          for (int64_t w = column.begin; w < column.end; ++w) {
            visit(static_cast<size_t>(to), static_cast<size_t>((plane * height + h) * width + w),
                  static_cast<Number>(with_padding ? whole : real));
          }
        }
        ++to;
      }
    }
  }
}

Shape pooled(Shape image, const std::vector<Window>& rows, const std::vector<Window>& columns) {
  image[image.size() - 2] = static_cast<int64_t>(rows.size());
  image.back() = static_cast<int64_t>(columns.size());
  return image;
}

void require_image(const Shape& image) {
  if ((image.size() != 3 && image.size() != 4) || count_of(image) == 0) {
    throw std::invalid_argument("an image has 3 or 4 dimensions and elements");
  }
}

// Results have a place for each window, gradients of the image its shape.
void arrange_pool(Arguments& a) {
  const Shape image = a.shape("self");
  require_image(image);
  const Shape result = pooled(image, windows_of(a, image, 0), windows_of(a, image, 1));
  if (count_of(result) == 0) throw std::invalid_argument("the window does not fit the image");
  a.reshape({"out", "indices", "gradOutput"}, result);
  a.reshape({"gradInput"}, image);
}

// ---- Samples and error inputs
// --------------------------------------------------------------------

struct Pool {
  Shape kernel, stride, padding;
  bool ceil_mode = false;
  Shape self = {};
};

Sample sample_of(const Pool& pool) {
  Sample sample{{{"kernelSize", pool.kernel}}};
  if (!pool.self.empty()) sample.settings.insert(sample.settings.begin(), {"self", pool.self});
  for (const char* name : {"stride", "strides"}) sample.settings.emplace_back(name, pool.stride);
  for (const char* name : {"padding", "paddings"}) {
    sample.settings.emplace_back(name, pool.padding);
  }
  if (pool.ceil_mode) sample.settings.emplace_back("ceilMode", 1.0);
  return sample;
}

const Shape kImage = {kN, 2, 4, 6};
const Shape kRightImage = {1, 2, 4, 6};
const Shape kRightResult = {1, 2, 3, 4};  // of a kernel [2, 3], strides [2, 1], padding [1, 0]

Domain of_windows(std::vector<Sample> samples) {
  return {.everywhere = kFloats,
          .max_rank = 4,
          .grows = false,
          .base = "self",
          .base_shape = kImage,
          .arrange = arrange_pool,
          .samples = std::move(samples)};
}

constexpr Bound kSumBound{.of_float = 0.51, .of_16_bits = 0.5001, .of_double = 8};

// Of all windows, by the names of the arrays, and more.
std::vector<ErrorInput> wrong_windows(const char* stride, const char* padding,
                                      const std::vector<ErrorInput>& more = {}) {
  return std::vector{wrong_values("kernelSize", "= [0]", {0}, "[0]"),
                     wrong_values("kernelSize", "of three values", {1, 1, 1}, "[1, 1, 1]"),
                     wrong_values("kernelSize", "= [9, 3]", {9, 3}, "[9, 3]"),
                     wrong_values(stride, "= [0, 1]", {0, 1}, "[0, 1]"),
                     wrong_values(padding, "= [2, 0]", {2, 0}, "[2, 0]"),
                     wrong_values(padding, "= [-1]", {-1}, "[-1]")} +
         more;
}

ErrorInput empty_image() {
  return refused("self", "without rows", of_shape({1, 2, 0, 6}), "[1, 2, 0, 6]");
}

// ---- Averages -----------------------------------------------------------------------------------

// Calls visit as for_each_pair does, with the divisor that the attributes choose.
template <class Visit>
void for_each_share(const Arguments& a, const Shape& image, const Visit& visit) {
  const Number divisor = a.number("divisorOverride");
  for_each_pair(image, windows_of(a, image, 0), windows_of(a, image, 1),
                a.number("countIncludePad") != 0, [&](size_t to, size_t from, Number count) {
                  visit(to, from, divisor != 0 ? divisor : count);
                });
}

template <bool kMagnitude>
Arrays average_pool(const Arguments& a, const Arrays& in) {
  const Shape& image = in[0].shape;
  Array out = dense::full(pooled(image, windows_of(a, image, 0), windows_of(a, image, 1)));
  for_each_share(a, image, [&](size_t to, size_t from, Number divisor) {
    out.values[to] += term<kMagnitude>(in[0].values[from] / divisor);
  });
  return {out};
}

// Inputs: gradOutput, self.
template <bool kMagnitude>
Arrays average_pool_backward(const Arguments& a, const Arrays& in) {
  Array out = dense::full(in[1].shape);
  for_each_share(a, in[1].shape, [&](size_t to, size_t from, Number divisor) {
    out.values[from] += term<kMagnitude>(in[0].values[to] / divisor);
  });
  return {out};
}

std::vector<Sample> average_samples() {
  const auto with = [](Sample sample, const char* name, double value) {
    sample.settings.emplace_back(name, value);
    return sample;
  };
  const Sample padded = sample_of({{2, 3}, {2, 1}, {1, 0}});
  const Sample ceiled = sample_of({{3, 2}, {2, 3}, {1, 1}, true});
  return {padded,
          with(padded, "countIncludePad", 1),
          ceiled,
          with(ceiled, "countIncludePad", 1),
          with(padded, "divisorOverride", -3),
          sample_of({{5, 8}, {2, 3}, {0, 1}, true}),  // larger than the image, by 1 and by 0
          with(sample_of({{6, 9}, {4}, {1}, true}), "countIncludePad", 1),
          sample_of({{2}, {}, {0}}),
          sample_of({{2}, {1}, {1}, false, {2, 3, 5}})};
}

void add_average(std::vector<Operator>& all) {
  const Parameter cube_math_type = no_option(declared(integer("cubeMathType", 0), "int8_t"));
  all.push_back({
      .call = ACLGRAD_CALL(
          aclnnAvgPool2d, shaped(in("self"), kRightImage), values("kernelSize", {2, 3}),
          option(values("strides", {2, 1}), "stride"),
          option(values("paddings", {1, 0}), "padding"), flag("ceilMode"), flag("countIncludePad"),
          integer("divisorOverride", 0), cube_math_type, shaped(out("out"), kRightResult)),
      .domain = of_windows(average_samples()),
      .results = {.reference = average_pool<false>,
                  .bound = kSumBound,
                  .magnitude = average_pool<true>},
      .error_inputs = wrong_windows(
          "strides", "paddings",
          {empty_image(), wrong_number("cubeMathType", 5, "[0, 4]"), in_nd("self", kRightImage)}),
      .words = {"averages of windows of images", "图像窗口的平均值",
                "avg_pool2d(x, kernel, options)"},
  });
  all.push_back({
      .call = ACLGRAD_CALL(aclnnAvgPool2dBackward, shaped(in("gradOutput"), kRightResult),
                           any_dtype(shaped(in("self"), kRightImage)), values("kernelSize", {2, 3}),
                           values("stride", {2, 1}), values("padding", {1, 0}), flag("ceilMode"),
                           flag("countIncludePad"), integer("divisorOverride", 0), cube_math_type,
                           shaped(out("gradInput"), kRightImage)),
      .domain = of_windows(average_samples()),
      .results = {.reference = average_pool_backward<false>,
                  .bound = kSumBound,
                  .magnitude = average_pool_backward<true>,
                  .nan_goes_through = false},  // of self only the shape is taken
      .gradient = from_input("aclnnAvgPool2d"),
      .error_inputs =
          wrong_windows("stride", "padding", {wrong_number("cubeMathType", 4, "[0, 3]")}),
      .words = {"the gradient of averages of windows", "窗口平均值的梯度",
                "avg_pool2d_backward(g, x, attributes)", "avg_pool2d"},
  });
}

// ---- Averages of as many windows as wanted ------------------------------------------------------

template <bool kMagnitude>
Arrays adaptive_pool(const Arguments& a, const Arrays& in) {
  const Shape& image = in[0].shape;
  const Shape& size = a.array("outputSize");
  const auto rows = adaptive_windows(image[image.size() - 2], size[0]);
  const auto columns = adaptive_windows(image.back(), size[1]);
  Array out = dense::full(pooled(image, rows, columns));
  for_each_pair(image, rows, columns, false, [&](size_t to, size_t from, Number count) {
    out.values[to] += term<kMagnitude>(in[0].values[from] / count);
  });
  return {out};
}

// Inputs: gradOutput, self.
template <bool kMagnitude>
Arrays adaptive_pool_backward(const Arguments&, const Arrays& in) {
  const Shape &image = in[1].shape, &result = in[0].shape;
  Array out = dense::full(image);
  for_each_pair(image, adaptive_windows(image[image.size() - 2], result[result.size() - 2]),
                adaptive_windows(image.back(), result.back()), false,
                [&](size_t to, size_t from, Number count) {
                  out.values[from] += term<kMagnitude>(in[0].values[to] / count);
                });
  return {out};
}

Sample adaptive_sample(Shape size, Shape self, Shape gradient) {
  return {{{"self", std::move(self)},
           {"outputSize", std::move(size)},
           {"gradOutput", std::move(gradient)}}};
}

void add_adaptive(std::vector<Operator>& all) {
  const std::vector<Sample> samples = {adaptive_sample({3, 4}, kImage, {kN, 2, 3, 4}),
                                       adaptive_sample({1, 1}, kImage, {kN, 2, 1, 1}),
                                       adaptive_sample({2, 7}, {2, 3, 5}, {2, 2, 7})};
  const auto arrange = [](Arguments& a) {
    Shape image = a.shape("self");
    require_image(image);
    const Shape& size = a.array("outputSize");
    if (size.size() != 2 || size[0] < 1 || size[1] < 1) {
      throw std::invalid_argument("outputSize is a height and a width");
    }
    image[image.size() - 2] = size[0];
    image.back() = size[1];
    a.shape("out") = image;
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnAdaptiveAvgPool2d, shaped(in("self"), kRightImage),
                           values("outputSize", {3, 4}), shaped(out("out"), kRightResult)),
      .domain = {.everywhere = kFloats,
                 .max_rank = 4,
                 .grows = false,
                 .base_shape = kImage,
                 .arrange = arrange,
                 .samples = samples},
      .results = {.reference = adaptive_pool<false>,
                  .bound = kSumBound,
                  .magnitude = adaptive_pool<true>},
      .error_inputs = {wrong_values("outputSize", "of one value", {3}, "[3]"),
                       wrong_values("outputSize", "= [0, 4]", {0, 4}, "[0, 4]"),
                       in_nd("self", kRightImage)},
      .words = {"averages over a given number of windows", "自适应数量窗口的平均值",
                "adaptive_avg_pool2d(x, size)"},
  });

  const auto backward_arrange = [](Arguments& a) {
    const Shape& image = a.shape("self");
    require_image(image);
    if (a.shape("gradOutput").size() != image.size() ||
        a.shape("gradOutput")[image.size() - 3] != image[image.size() - 3]) {
      throw std::invalid_argument("the gradient must have the channels of the image");
    }
    a.shape("gradOutput")[0] = image[0];
    a.shape("out") = image;
    // The gradient of a single average is converted.
    const Shape& result = a.shape("gradOutput");
    a.tensor("out").any_dtype = result[result.size() - 2] == 1 && result.back() == 1;
  };
  all.push_back({
      .call =
          ACLGRAD_CALL(aclnnAdaptiveAvgPool2dBackward,
                       option(shaped(in("gradOutput"), kRightResult), "gradOutput", Sets::kShape),
                       shaped(in("self"), kRightImage), shaped(out("out"), kRightImage)),
      .domain = {.everywhere = kFloats,
                 .max_rank = 4,
                 .base = "self",
                 .base_shape = kImage,
                 .arrange = backward_arrange,
                 .samples = samples},
      .results = {.reference = adaptive_pool_backward<false>,
                  .bound = kSumBound,
                  .magnitude = adaptive_pool_backward<true>,
                  .nan_goes_through = false},
      .gradient = from_input("aclnnAdaptiveAvgPool2d"),
      .words = {"the gradient of averages over a given number of windows", "自适应平均池化的梯度",
                "adaptive_avg_pool2d_backward(g, x)", "adaptive_avg_pool2d"},
  });
}

// ---- Maxima -------------------------------------------------------------------------------------

Arrays max_pool(const Arguments& a, const Arrays& in) {
  const Shape& image = in[0].shape;
  const auto rows = windows_of(a, image, 0), columns = windows_of(a, image, 1);
  Array out = dense::full(pooled(image, rows, columns));
  Array indices = out;
  std::ranges::fill(indices.values, -1);
  const size_t plane = static_cast<size_t>(image[image.size() - 2] * image.back());
  for_each_pair(image, rows, columns, false, [&](size_t to, size_t from, Number) {
    if (indices.values[to] >= 0 && !(in[0].values[from] > out.values[to])) return;
    out.values[to] = in[0].values[from];
    indices.values[to] = static_cast<Number>(from % plane);
  });
  return {out, indices};
}

// Inputs: gradOutput, self, indices.
template <bool kMagnitude>
Arrays max_pool_backward(const Arguments&, const Arrays& in) {
  Array out = dense::full(in[1].shape);
  const auto area = [](const Shape& shape) {
    return static_cast<size_t>(shape[shape.size() - 2] * shape.back());
  };
  for (size_t i = 0; i < in[0].values.size(); ++i) {
    const size_t plane = i / area(in[0].shape);
    out.values[plane * area(out.shape) + static_cast<size_t>(in[2].values[i])] +=
        term<kMagnitude>(in[0].values[i]);
  }
  return {out};
}

void add_maximum(std::vector<Operator>& all) {
  const Sample right = sample_of({{2, 3}, {2, 1}, {1, 0}});
  Sample in_int32 = right;
  in_int32.settings.emplace_back("indices", ACL_INT32);
  in_int32.is_gradient = false;
  const std::vector<Sample> samples = {
      right,
      sample_of({{3, 2}, {2, 3}, {1, 1}, true}),
      sample_of({{5, 8}, {2, 3}, {0, 1}, true}),  // larger than the image, by 1 and by 0
      sample_of({{2}, {}, {0}}),
      sample_of({{2}, {1}, {1}, false, {2, 4, 6}}),
      in_int32};
  all.push_back({
      .call = ACLGRAD_CALL(aclnnMaxPool2dWithIndices, shaped(in("self"), kRightImage),
                           values("kernelSize", {2, 3}), values("stride", {2, 1}),
                           values("padding", {1, 0}), values("dilation", {1}), flag("ceilMode"),
                           shaped(out("out"), kRightResult),
                           typed(shaped(out("indices"), kRightResult), ACL_INT64)),
      .domain = of_windows(samples),
      .results = {.reference = max_pool, .bound = {.of_float = 0.5001}},
      .error_inputs =
          wrong_windows("stride", "padding",
                        {empty_image(), wrong_values("dilation", "= [2, 1]", {2, 1}, "[2, 1]")}),
      .words = {"the largest elements of windows of images, and their places",
                "图像窗口的最大值及其位置", "max_pool2d(x, kernel, options)"},
  });
  const auto inputs = [](const Arguments&, const Arrays& x, const Arrays& y, const Array& g) {
    return Arrays{g, x[0], y[1]};
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnMaxPool2dWithIndicesBackward,
                           shaped(in("gradOutput"), kRightResult), shaped(in("self"), kRightImage),
                           filled(typed(shaped(in("indices", 0, 23), kRightResult), ACL_INT64), 0),
                           values("kernelSize", {2, 3}), values("stride", {2, 1}),
                           values("padding", {1, 0}), values("dilation", {1}), flag("ceilMode"),
                           shaped(out("gradInput"), kRightImage)),
      .domain = of_windows(samples),
      .results = {.reference = max_pool_backward<false>,
                  .bound = kSumBound,
                  .magnitude = max_pool_backward<true>,
                  .nan_goes_through = false},
      .gradient = Gradient{"aclnnMaxPool2dWithIndices", inputs},
      .error_inputs = wrong_windows("stride", "padding"),
      .words = {"gradients added up at the places of the maxima", "在最大值位置累加的梯度",
                "max_pool2d_backward(g, x, indices, attributes)", "max_pool2d"},
  });
}

}  // namespace

FamilyContracts pooling_contracts() {
  FamilyContracts family{{"Pooling", "池化"}, {}};
  add_maximum(family.operators);
  add_average(family.operators);
  add_adaptive(family.operators);
  return family;
}

}  // namespace aclgrad::contract
