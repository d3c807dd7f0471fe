// SPDX-License-Identifier: Apache-2.0
// Maxima of windows of images and volumes, and their places.
#include <algorithm>
#include <limits>
#include <stdexcept>

#include "aclnnop/aclnn_adaptive_max_pool2d.h"
#include "aclnnop/aclnn_adaptive_max_pool2d_backward.h"
#include "aclnnop/aclnn_adaptive_max_pool3d.h"
#include "aclnnop/aclnn_adaptive_max_pool3d_backward.h"
#include "aclnnop/aclnn_max_pool.h"
#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "aclnnop/aclnn_max_pool2d_with_mask.h"
#include "aclnnop/aclnn_max_pool2d_with_mask_backward.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"
#include "aclnnop/aclnn_max_unpool2d.h"
#include "aclnnop/aclnn_max_unpool3d.h"
#include "ops/pooling/windows_contract.h"

namespace aclgrad::contract {
namespace {

// Files are compiled together.
namespace max_pooling {

// ---- Results ------------------------------------------------------------------------------------

// The first largest element under each window, and its place among the last axes; minus infinity
// and -1 for windows without elements.
Arrays maxima(const Array& image, const Axes& axes) {
  Array out = dense::full(resized(image.shape, axes));
  Array indices = out;
  std::ranges::fill(indices.values, -1);
  size_t plane = 1;
  for (const Axis& axis : axes) plane *= static_cast<size_t>(axis.in);
  for_each_tap(image.shape, axes, [&](size_t to, size_t from, Number) {
    if (indices.values[to] >= 0 && !(image.values[from] > out.values[to])) return;
    out.values[to] = image.values[from];
    indices.values[to] = static_cast<Number>(from % plane);
  });
  for (size_t to = 0; to < out.values.size(); ++to) {
    if (indices.values[to] < 0) out.values[to] = -std::numeric_limits<Number>::infinity();
  }
  return {out, indices};
}

Reference maxima_of(size_t axes) {
  return [axes](const Arguments& a, const Arrays& in) {
    return maxima(in[0], windows_of(a, in[0].shape, axes));
  };
}

size_t plane_of(const Shape& shape, size_t axes) {
  const Shape sizes = last_sizes(shape, axes);
  return static_cast<size_t>(count_of(sizes));
}

// Elements of planes at their places in others of this shape, added up or one over the other.
Array placed(const Array& values, const Array& indices, const Shape& shape, size_t axes, bool adds,
             bool magnitudes = false) {
  Array out = dense::full(shape);
  const size_t from = plane_of(values.shape, axes), to = plane_of(shape, axes);
  for (size_t i = 0; i < values.values.size(); ++i) {
    if (indices.values[i] < 0) continue;
    Number& at = out.values[i / from * to + static_cast<size_t>(indices.values[i])];
    const Number value = magnitudes ? std::abs(values.values[i]) : values.values[i];
    at = adds ? at + value : value;
  }
  return out;
}

// Inputs: gradOutput, self, indices.
Results added_up(size_t axes) {
  const auto reference = [axes](bool magnitudes) {
    return [=](const Arguments&, const Arrays& in) {
      return Arrays{placed(in[0], in[2], in[1].shape, axes, true, magnitudes)};
    };
  };
  return {.reference = reference(false),
          .bound = kSumBound,
          .magnitude = reference(true),
          .nan_goes_through = false};
}

// ---- Masks --------------------------------------------------------------------------------------

// Calls visit(number of the result, number of the element in the window, byte, bit) for the results
// of a plane after the other.
template <class Visit>
void for_each_bit(const Shape& result, const Shape& mask, const Visit& visit) {
  const size_t area = plane_of(result, 2), bytes = static_cast<size_t>(mask.back());
  const auto kernel = static_cast<size_t>(mask[mask.size() - 2]);
  for (size_t to = 0; to < static_cast<size_t>(count_of(result)); ++to) {
    for (size_t k = 0; k < kernel; ++k) {
      visit(to, k, (to / area * kernel + k) * bytes + to % area / 8, to % area % 8);
    }
  }
}

// The place in the plane of element k of a window.
int64_t place_of(const std::vector<PoolAxis>& axes, const Shape& result, size_t to, size_t k) {
  const auto columns = result.back();
  const auto e = static_cast<int64_t>(to % plane_of(result, 2)), number = static_cast<int64_t>(k);
  const int64_t h = axes[0].start(e / columns) + number / axes[1].kernel * axes[0].dilation;
  const int64_t x = axes[1].start(e % columns) + number % axes[1].kernel * axes[1].dilation;
  const bool inside = h >= 0 && h < axes[0].in && x >= 0 && x < axes[1].in;
  return inside ? h * axes[1].in + x : -1;
}

Arrays with_mask(const Arguments& a, const Arrays& in) {
  Arrays results = maxima_of(2)(a, in);
  const Array indices = results[1];
  const std::vector<PoolAxis> axes = pool_axes(a, in[0].shape, 2);
  Array mask = dense::full(a.shape("mask"));
  for_each_bit(results[0].shape, mask.shape, [&](size_t to, size_t k, size_t byte, size_t bit) {
    const int64_t place = place_of(axes, results[0].shape, to, k);
    if (place < 0 || static_cast<Number>(place) != indices.values[to]) return;
    mask.values[byte] += bit == 7 ? -128 : 1 << bit;
  });
  results[1] = mask;
  return results;
}

// Inputs: gradOutput, self, mask.
Results added_up_by_mask() {
  const auto reference = [](bool magnitudes) {
    return [=](const Arguments& a, const Arrays& in) {
      const std::vector<PoolAxis> axes = pool_axes(a, in[1].shape, 2);
      Array out = dense::full(in[1].shape);
      const Shape& result = in[0].shape;
      for_each_bit(result, in[2].shape, [&](size_t to, size_t k, size_t byte, size_t bit) {
        const auto held = static_cast<int>(in[2].values[byte]) & 255;
        if ((held >> bit & 1) == 0) return;
        const size_t plane = to / plane_of(result, 2) * plane_of(in[1].shape, 2);
        const auto place = static_cast<size_t>(place_of(axes, result, to, k));
        const Number term = in[0].values[to];
        out.values[plane + place] += magnitudes ? std::abs(term) : term;
      });
      return Arrays{out};
    };
  };
  return {.reference = reference(false),
          .bound = kSumBound,
          .magnitude = reference(true),
          .nan_goes_through = false};
}

// ---- Windows ------------------------------------------------------------------------------------

constexpr Bound kRounded{.of_float = 0.5001};

// Elements far enough from each other that no difference of a gradient's exchanges two of them.
Parameter spread_out(const Shape& image) { return shaped(in("self", -200, 200), image); }

Gradient from_places(const char* forward) {
  return {forward, [](const Arguments&, const Arrays& x, const Arrays& y, const Array& g) {
            return Arrays{g, x[0], y[1]};
          }};
}

std::vector<Sample> samples(size_t axes, bool dilates, bool has_indices) {
  const auto of = [axes](Pool pool) {
    const auto deepen = [axes](Shape& each, int64_t value) {
      if (axes == 3 && each.size() > 1) each.insert(each.end() - 2, value);
    };
    for (Shape* each : {&pool.kernel, &pool.stride, &pool.self}) deepen(*each, 2);
    deepen(pool.padding, 0);
    deepen(pool.dilation, 1);
    return sample_of(pool);
  };
  Sample other = of({{2, 3}, {2, 1}, {1, 0}});
  other.settings.emplace_back("indices", axes == 3 ? ACL_INT64 : ACL_INT32);
  other.is_gradient = false;
  std::vector<Sample> all = {of({{2, 3}, {2, 1}, {1, 0}}), of({{3, 2}, {2, 3}, {1, 1}, true}),
                             of({{5, 8}, {2, 3}, {0, 1}, true}),  // larger, by 1 and by 0
                             of({{2}, {}, {0}}), of({{2}, {1}, {1}, false, {2, 4, 6}})};
  if (has_indices) all.push_back(other);
  if (dilates) all.push_back(of({{2, 3}, {1, 2}, {1, 0}, false, {}, {3, 2}}));
  if (dilates) {  // all windows step over the one row
    all.push_back(of({{2, 2}, {1, 1}, {1, 1}, false, {2, 1, 24}, {2, 2}}));
    all.back().is_gradient = false;  // there is none at infinity
  }
  return all;
}

struct MaxOf {
  const char *computes, *chinese, *gradient, *gradient_chinese;
  std::string node;
  size_t axes;
  aclDataType places;
};

// Of sliding windows.
void add_windows(std::vector<Operator>& all, Signature forward, Signature backward,
                 const MaxOf& of) {
  const size_t axes = of.axes;
  const bool is_old = forward.name == "aclnnMaxPool2dWithIndices";
  const bool is_mask = of.places == ACL_INT8;
  const Shape &image = right_image(axes), &result = right_result(axes);
  const Shape places_shape = is_mask ? Shape{1, 2, 6, 64} : result;
  const char* const places = is_mask ? "mask" : "indices";
  const std::vector<Parameter> attributes = {
      values("kernelSize", right_kernel(axes)), values("stride", right_stride(axes)),
      values("padding", right_padding(axes)), values("dilation", {1}), flag("ceilMode")};
  const std::vector<ErrorInput> wrong = wrong_windows("kernelSize", "stride", "padding", axes);
  const ErrorInput no_dilation = is_old ? wrong_values("dilation", "= [2, 1]", {2, 1}, "[2, 1]")
                                        : wrong_values("dilation", "= [0]", {0}, "[0]");

  Operator op{.call = std::move(forward)};
  op.call.parameters =
      std::vector{is_old ? shaped(in("self"), image) : spread_out(image)} + attributes +
      std::vector{shaped(out("out"), result), typed(shaped(out(places), places_shape), of.places)};
  op.domain =
      of_windows(samples(axes, !is_old, !is_mask), axes, is_old ? kFloats : kFloatsAndDouble);
  op.results = {.reference = is_mask ? Reference(with_mask) : maxima_of(axes), .bound = kRounded};
  op.error_inputs = wrong + std::vector{no_dilation};
  if (is_old) {
    op.error_inputs.push_back(
        refused("self", "without rows", of_shape({1, 2, 0, 6}), "[1, 2, 0, 6]"));
  } else {
    op.error_inputs = op.error_inputs + wrong_spatial("self", image);
  }
  op.words = {of.computes, of.chinese, of.node.empty() ? "" : of.node + "(x, kernel, options)"};
  all.push_back(op);

  const Number last = is_mask ? 0 : static_cast<Number>(plane_of(image, axes) - 1);
  op.call = std::move(backward);
  op.call.parameters =
      std::vector{shaped(in("gradOutput"), result), shaped(in("self"), image),
                  filled(typed(shaped(in(places, 0, last), places_shape), of.places), 0)} +
      attributes + std::vector{shaped(out("gradInput"), image)};
  op.results = is_mask ? added_up_by_mask() : added_up(axes);
  op.gradient = from_places(all.back().name().c_str());
  op.error_inputs = wrong;
  op.words = {of.gradient, of.gradient_chinese,
              of.node.empty() ? "" : "max_pool_backward(g, x, indices, attributes)",
              of.node.empty() ? "max_pool2d_with_mask" : of.node};
  all.push_back(std::move(op));
}

// ---- As many windows as wanted ------------------------------------------------------------------

void add_adaptive(std::vector<Operator>& all, Signature forward, Signature backward,
                  const MaxOf& of) {
  const size_t axes = of.axes;
  const Shape &image = right_image(axes), &result = right_result(axes);
  const auto sized = [axes](Shape size, Shape self) {
    if (axes == 3) {
      size.insert(size.begin(), size.front());
      self.insert(self.end() - 2, 3);
    }
    Shape gradient(self.begin(), self.end() - static_cast<std::ptrdiff_t>(axes));
    return adaptive_sample(size, self, gradient + size);
  };
  Sample other = sized({3, 4}, {kN, 2, 4, 6});
  other.settings.emplace_back("indices", axes == 3 ? ACL_INT64 : ACL_INT32);
  other.is_gradient = false;
  const std::vector<Sample> samples = {sized({3, 4}, {kN, 2, 4, 6}), sized({1, 1}, {kN, 2, 4, 6}),
                                       sized({2, 3}, {kN, 2, 4, 6}), sized({2, 7}, {2, 5, 6}),
                                       other};
  const Shape size = last_sizes(result, axes);

  Operator op{.call = std::move(forward)};
  op.call.parameters = {spread_out(image), values("outputSize", size), shaped(out("out"), result),
                        typed(shaped(out("indices"), result), of.places)};
  op.domain = of_adaptive(samples, axes, kFloatsAndDouble);
  op.results = {.reference =
                    [](const Arguments& a, const Arrays& in) {
                      return maxima(in[0],
                                    adaptive_axes(in[0].shape, a.array("outputSize"), false));
                    },
                .bound = kRounded};
  op.error_inputs = std::vector{wrong_values("outputSize", "of one value", {3}, "[3]"),
                                wrong_values("outputSize", "= 0", Shape(axes, 0),
                                             axes == 2 ? "[0, 0]" : "[0, 0, 0]")} +
                    wrong_spatial("self", image);
  op.words = {of.computes, of.chinese, of.node + "(x, size)"};
  all.push_back(op);

  op.call = std::move(backward);
  op.call.parameters = {option(shaped(in("gradOutput"), result), "gradOutput", Sets::kShape),
                        shaped(in("self"), image),
                        filled(typed(shaped(in("indices", 0, 23), result), of.places), 0),
                        shaped(out("gradInput"), image)};
  op.results = added_up(axes);
  op.gradient = from_places(all.back().name().c_str());
  op.error_inputs = wrong_spatial("gradOutput", result);
  op.words = {of.gradient, of.gradient_chinese,
              "adaptive_max_pool_backward(g, x, indices, attributes)", of.node};
  all.push_back(std::move(op));
}

// ---- Maxima alone -------------------------------------------------------------------------------

void add_plain(std::vector<Operator>& all) {
  const Shape &image = right_image(2), &result = right_result(2);
  all.push_back({
      .call = ACLGRAD_CALL(aclnnMaxPool, shaped(in("self"), image), values("kernelShape", {2, 3}),
                           values("strides", {2, 1}), integer("autoPad", 0), values("pads", {1, 0}),
                           values("dilations", {1}), integer("ceilMode", 0),
                           shaped(out("out"), result)),
      .domain = of_windows(
          {sample_of({{2, 3}, {2, 1}, {1, 0}}), sample_of({{2, 3}, {2, 1}, {0, 1, 1, 2}}),
           sample_of({{3, 2}, {2, 3}, {1, 1}, true}), sample_of({{2}, {}, {0}}),
           sample_of({{2, 3}, {1}, {0}, false, {2, 4, 6}, {3, 2}})},
          2, kFloatsAndDouble),
      .results = {.reference = [](const Arguments& a,
                                  const Arrays& in) { return Arrays{maxima_of(2)(a, in)[0]}; },
                  .bound = kRounded},
      .error_inputs = std::vector{wrong_values("kernelShape", "= [0]", {0}, "[0]"),
                                  wrong_values("strides", "= [0, 1]", {0, 1}, "[0, 1]"),
                                  wrong_values("pads", "above the kernel", {3, 0}, "[3, 0]"),
                                  wrong_values("pads", "of three values", {0, 0, 0}, "[0, 0, 0]"),
                                  wrong_values("dilations", "= [0]", {0}, "[0]"),
                                  wrong_number("autoPad", 1, "is 1")} +
                      wrong_spatial("self", image),
      .words = {"the largest elements of windows of images", "图像窗口的最大值", "", "max_pool"},
  });
}

// ---- Back to their places -----------------------------------------------------------------------

void add_unpool(std::vector<Operator>& all, Signature call, size_t axes) {
  const Shape &image = right_image(axes), &result = right_result(axes);
  const std::vector<Sample> samples = {
      {{{"outputSize", last_sizes(image, axes)}}},
      {{{"self", axes == 2 ? Shape{2, 3, 5} : Shape{2, 1, 3, 5}},
        {"indices", axes == 2 ? ACL_INT32 : ACL_INT64},
        {"outputSize", axes == 2 ? Shape{4, 6} : Shape{1, 4, 6}}}}};
  const auto arrange = [axes](Arguments& a) {
    Shape shape = a.shape("self");
    require_image(shape, axes);
    a.reshape({"indices"}, shape);
    const Shape& size = a.array("outputSize");
    if (size.size() != axes || *std::ranges::min_element(size) < 1 || count_of(size) < 24) {
      throw std::invalid_argument("outputSize has a place for every index");
    }
    std::copy(size.begin(), size.end(), shape.end() - static_cast<std::ptrdiff_t>(axes));
    a.reshape({"out"}, shape);
  };
  Operator op{.call = std::move(call)};
  op.call.parameters = {
      shaped(in("self"), result),
      filled(typed(shaped(in("indices", 0, 23), result), axes == 2 ? ACL_INT64 : ACL_INT32), 0),
      values("outputSize", last_sizes(image, axes))};
  if (axes == 3) {
    op.call.parameters.push_back(values("stride", {2}));
    op.call.parameters.push_back(values("padding", {0}));
  }
  op.call.parameters.push_back(shaped(out("out"), image));
  Shape base = result;
  base[0] = kN;
  op.domain = {.everywhere = kFloatsAndDouble,
               .max_rank = axes + 2,
               .grows = false,
               .base_shape = base,
               .arrange = arrange,
               .samples = samples};
  op.results = {.reference =
                    [axes](const Arguments& a, const Arrays& in) {
                      return Arrays{placed(in[0], in[1], a.shape("out"), axes, false)};
                    },
                .bound = kRounded,
                .nan_goes_through = false};
  op.error_inputs = std::vector{wrong_values("outputSize", "of one value", {3}, "[3]")} +
                    wrong_spatial("self", result);
  for (const char* unused : {"stride", "padding"}) {
    if (axes == 3) op.error_inputs.push_back(wrong_values(unused, "of two", {1, 1}, "[1, 1]"));
  }
  op.words = {axes == 2 ? "elements of planes put at given places, among zeros"
                        : "elements of volumes put at given places, among zeros",
              axes == 2 ? "将平面元素放回给定位置" : "将体数据元素放回给定位置",
              axes == 2 ? "max_unpool2d(x, indices, size)" : "",
              axes == 2 ? "max_unpool2d" : "max_unpool3d"};
  all.push_back(std::move(op));
}

}  // namespace max_pooling
}  // namespace

#define ACLGRAD_PAIR(function) ACLGRAD_CALL(function), ACLGRAD_CALL(function##Backward)

void add_max_pools(std::vector<Operator>& all) {
  using namespace max_pooling;
  add_windows(all, ACLGRAD_PAIR(aclnnMaxPool2dWithIndices),
              {"the largest elements of windows of images, and their places",
               "图像窗口的最大值及其位置", "gradients added up at the places of the maxima",
               "在最大值位置累加的梯度", "max_pool2d", 2, ACL_INT64});
  add_windows(
      all, ACLGRAD_PAIR(aclnnMaxPool3dWithArgmax),
      {"the largest elements of windows of volumes, and their places", "体数据窗口的最大值及其位置",
       "gradients added up at the places of the maxima of volumes", "在体数据最大值位置累加的梯度",
       "max_pool3d", 3, ACL_INT32});
  add_windows(all, ACLGRAD_PAIR(aclnnMaxPool2dWithMask),
              {"the largest elements of windows of images, and a mask of their places",
               "图像窗口的最大值及其位置掩码", "gradients added up where a mask has bits",
               "按掩码在最大值位置累加的梯度", "", 2, ACL_INT8});
  add_adaptive(all, ACLGRAD_PAIR(aclnnAdaptiveMaxPool2d),
               {"maxima over a given number of windows, and their places", "自适应数量窗口的最大值",
                "gradients added up at the places of adaptive maxima", "自适应最大池化的梯度",
                "adaptive_max_pool2d", 2, ACL_INT64});
  add_adaptive(all, ACLGRAD_PAIR(aclnnAdaptiveMaxPool3d),
               {"maxima over a given number of windows of volumes, and their places",
                "体数据自适应数量窗口的最大值",
                "gradients added up at the places of adaptive maxima of volumes",
                "体数据自适应最大池化的梯度", "adaptive_max_pool3d", 3, ACL_INT32});
  add_plain(all);
  add_unpool(all, ACLGRAD_CALL(aclnnMaxUnpool2d), 2);
  add_unpool(all, ACLGRAD_CALL(aclnnMaxUnpool3d), 3);
}

}  // namespace aclgrad::contract
