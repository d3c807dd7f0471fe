// SPDX-License-Identifier: Apache-2.0
// Convolution and its gradients.
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "aclgrad_contract/numbers.h"
#include "aclnnop/aclnn_convolution.h"
#include "aclnnop/aclnn_convolution_backward.h"
#include "ops/contract/dense.h"
#include "ops/contract/describe.h"

namespace aclgrad::contract {
namespace {

using dense::term;

// ---- Shapes -------------------------------------------------------------------------------------

bool is_transposed(const Arguments& a) { return a.number("transposed") != 0; }

// Of both ends of an axis.
std::array<int64_t, 2> padding_of(const Arguments& a, size_t axis, size_t axes) {
  const Shape& padding = a.array("padding");
  if (padding.size() == axes) return {padding[axis], padding[axis]};
  return {padding.at(2 * axis), padding.at(2 * axis + 1)};
}

Shape output_shape(const Arguments& a) {
  const Shape& x = a.shape("input");
  const Shape& w = a.shape("weight");
  const auto groups = static_cast<int64_t>(a.number("groups"));
  Shape shape = {x[0], is_transposed(a) ? w[1] * groups : w[0]};
  for (size_t axis = 0; axis + 2 < x.size(); ++axis) {
    const int64_t stride = a.array("stride").at(axis);
    const auto padding = padding_of(a, axis, x.size() - 2);
    const int64_t reach = a.array("dilation").at(axis) * (w[axis + 2] - 1);
    const int64_t around = padding[0] + padding[1];
    shape.push_back(is_transposed(a) ? (x[axis + 2] - 1) * stride - around + reach + 1 +
                                           a.array("outputPadding").at(axis)
                                     : (x[axis + 2] + around - reach - 1) / stride + 1);
  }
  return shape;
}

// The base is the input.
void arrange(Arguments& a) {
  const Shape& x = a.shape("input");
  const auto groups = static_cast<int64_t>(a.number("groups"));
  const size_t rank = x.size();
  if (rank < 3 || rank > 5 || a.shape("weight").size() != rank ||
      a.array("stride").size() != rank - 2 || a.array("dilation").size() != rank - 2) {
    throw std::invalid_argument("input and weight need one rank, each array a value for each axis");
  }
  const Shape& w = a.shape("weight");
  if (groups < 1 || x[1] != (is_transposed(a) ? w[0] : w[1] * groups) || w[0] % groups != 0) {
    throw std::invalid_argument("the channels of input and weight do not fit");
  }
  const Shape result = output_shape(a);
  if (std::ranges::any_of(result, [](int64_t size) { return size < 1; }) || count_of(x) == 0) {
    throw std::invalid_argument("the output would be empty");
  }
  a.reshape({"output", "gradOutput"}, result);
  a.reshape({"bias", "gradBias"}, {result[1]});
  if (!a.has("gradInput")) return;
  a.shape("gradInput") = x;
  a.shape("gradWeight") = w;
  a.array("biasSizes") = {result[1]};
}

// ---- Formulas -----------------------------------------------------------------------------------

// Places of one channel that meet in a product.
struct Meeting {
  int64_t output, input, tap;
};

std::vector<Meeting> meetings(const Arguments& a, const Shape& y, const Shape& x) {
  const Shape& w = a.shape("weight");
  const size_t axes = x.size() - 2;
  std::vector<Meeting> all = {{0, 0, 0}};
  for (size_t axis = 0; axis < axes; ++axis) {
    const int64_t out = y[axis + 2], in = x[axis + 2], kernel = w[axis + 2];
    const int64_t stride = a.array("stride")[axis], dilation = a.array("dilation")[axis];
    const int64_t padding = padding_of(a, axis, axes)[0];
    std::vector<Meeting> next;
    for (const Meeting& outer : all) {
      for (int64_t p = 0; p < out; ++p) {
        for (int64_t k = 0; k < kernel; ++k) {
          const int64_t i = p * stride - padding + k * dilation;
          if (i < 0 || i >= in) continue;
          next.push_back({outer.output * out + p, outer.input * in + i, outer.tap * kernel + k});
        }
      }
    }
    all = std::move(next);
  }
  return all;
}

// Calls visit(place in output, place in input, place in weight) for every product that is summed.
// A transposed convolution sums the same products as one from its output to its input.
template <class Visit>
void for_each_product(const Arguments& a, const Visit& visit) {
  const bool transposed = is_transposed(a);
  const Shape y = transposed ? a.shape("input") : output_shape(a);
  const Shape x = transposed ? output_shape(a) : a.shape("input");
  const Shape& w = a.shape("weight");
  const int64_t places = count_of(y) / y[0] / y[1], pixels = count_of(x) / x[0] / x[1];
  const int64_t taps = count_of(w) / w[0] / w[1];
  const int64_t group_outputs = w[0] / static_cast<int64_t>(a.number("groups"));
  const std::vector<Meeting> all = meetings(a, y, x);
  for (int64_t row = 0; row < y[0] * y[1] * w[1]; ++row) {
    const int64_t image = row / w[1] / y[1], to = row / w[1] % y[1], within = row % w[1];
    const int64_t from = to / group_outputs * w[1] + within;
    for (const Meeting& each : all) {
      const auto at_y = static_cast<size_t>((image * y[1] + to) * places + each.output);
      const auto at_x = static_cast<size_t>((image * x[1] + from) * pixels + each.input);
      const auto at_w = static_cast<size_t>((to * w[1] + within) * taps + each.tap);
      visit(transposed ? at_x : at_y, transposed ? at_y : at_x, at_w);
    }
  }
}

// The channel of an element of the output.
size_t channel_of(const Shape& output, size_t i) {
  const auto places = static_cast<size_t>(count_of(output) / output[0] / output[1]);
  return i / places % static_cast<size_t>(output[1]);
}

template <bool kMagnitude>
Arrays convolution(const Arguments& a, const Arrays& in) {
  const Array x = input_of_product(a, in[0]), w = input_of_product(a, in[1]);
  Array out = dense::full(output_shape(a));
  for_each_product(a, [&](size_t to, size_t from, size_t weight) {
    out.values[to] += term<kMagnitude>(x.values[from] * w.values[weight]);
  });
  for (size_t i = 0; in.size() > 2 && i < out.values.size(); ++i) {
    out.values[i] += term<kMagnitude>(in[2].values[channel_of(out.shape, i)]);
  }
  return {out};
}

// Inputs: gradOutput, input, weight.
template <bool kMagnitude>
Arrays convolution_backward(const Arguments& a, const Arrays& in) {
  const Array g = input_of_product(a, in[0]), x = input_of_product(a, in[1]),
              w = input_of_product(a, in[2]);
  Arrays out = {dense::full(x.shape), dense::full(w.shape), dense::full({g.shape[1]})};
  for_each_product(a, [&](size_t to, size_t from, size_t weight) {
    out[0].values[from] += term<kMagnitude>(g.values[to] * w.values[weight]);
    out[1].values[weight] += term<kMagnitude>(g.values[to] * x.values[from]);
  });
  for (size_t i = 0; i < g.values.size(); ++i) {
    out[2].values[channel_of(g.shape, i)] += term<kMagnitude>(g.values[i]);
  }
  return masked(a, std::move(out));
}

// ---- Samples ------------------------------------------------------------------------------------

struct Geometry {
  Shape input, weight;
  double groups = 1;
  Shape stride, padding, dilation;
  bool transposed = false;
  Shape output_padding = {};
};

Sample sample_of(const Geometry& g, double cube_math_type = 0) {
  Sample sample{{{"input", g.input},
                 {"weight", g.weight},
                 {"bias", Shape{}},
                 {"stride", g.stride},
                 {"padding", g.padding},
                 {"dilation", g.dilation},
                 {"groups", g.groups},
                 {"cubeMathType", cube_math_type}}};
  const Shape none(g.stride.size(), 0);
  sample.settings.emplace_back("outputPadding", g.output_padding.empty() ? none : g.output_padding);
  if (g.transposed) sample.settings.emplace_back("transposed", 1.0);
  return sample;
}

const Geometry kGrouped{{kN, 4, 5, 4}, {4, 2, 3, 2}, 2, {2, 1}, {1, 0}, {1, 2}};

std::vector<Sample> convolution_samples() {
  std::vector<Sample> samples = {
      sample_of(kGrouped),
      sample_of({{kN, 3, 5, 4}, {4, 3, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1}}),
      sample_of({{kN, 3, 5, 4}, {2, 3, 2, 3}, 1, {2, 3}, {0, 1, 2, 0}, {1, 1}}),
      sample_of({{kN, 3, 4, 5}, {4, 3, 1, 1}, 1, {1, 1}, {0, 0}, {1, 1}}),  // pointwise
      sample_of({{kN, 4, 5, 5}, {4, 1, 3, 3}, 4, {2, 1}, {1, 2}, {1, 2}}),  // depthwise
      sample_of({{kN, 3, 9}, {4, 3, 4}, 1, {2}, {2, 1}, {2}}),              // 1-D
      sample_of({{kN, 2, 3, 4, 3}, {4, 1, 2, 2, 3}, 2, {1, 2, 1}, {0, 1, 1}, {2, 1, 1}}),  // 3-D
      sample_of({{kN, 4, 3, 3}, {4, 3, 3, 2}, 2, {2, 3}, {1, 0}, {1, 2}, true, {1, 1}}),
      sample_of({{kN, 4, 3, 2}, {4, 1, 2, 3}, 4, {2, 1}, {0, 1, 1, 0}, {1, 1}, true}),
      sample_of({{kN, 2, 5}, {2, 3, 3}, 1, {3}, {1}, {1}, true, {2}}),
      sample_of({{kN, 2, 2, 2, 3}, {2, 2, 2, 1, 2}, 1, {2, 1, 1}, {0, 0, 0}, {1, 1, 2}, true})};
  Sample rounded = sample_of(kGrouped, kRoundsInputs);
  rounded.is_gradient = false;  // the derivative of a rounding is nothing to ask for
  samples.push_back(rounded);
  return samples;
}

// Sizes that are cut into blocks and tasks: many pixels, many channels, long lines, depthwise.
std::vector<Sample> large_samples() {
  std::vector<Sample> samples;
  for (const Geometry& each :
       {Geometry{{2, 8, 40, 36}, {12, 8, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1}},
        Geometry{{1, 80, 9, 9}, {140, 40, 3, 3}, 2, {2, 2}, {0, 0}, {1, 1}},
        Geometry{{1, 70, 30, 33}, {130, 70, 1, 1}, 1, {1, 1}, {0, 0}, {1, 1}},
        Geometry{{1, 3, 3, 1100}, {5, 3, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1}},
        Geometry{{1, 300, 5, 5}, {40, 300, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1}},
        Geometry{{2, 3, 25, 33}, {3, 1, 3, 3}, 3, {1, 1}, {1, 1}, {1, 1}},
        Geometry{{2, 6, 33, 31}, {6, 1, 5, 5}, 6, {2, 2}, {2, 2}, {1, 1}},
        Geometry{{2, 12, 20, 18}, {12, 8, 4, 4}, 1, {2, 2}, {1, 1}, {1, 1}, true}}) {
    samples.push_back(sample_of(each));
  }
  return samples;
}

// Roundings in FLOAT of the longest sum.
double longest_sum(const Arguments& a) {
  const Shape& w = a.shape("weight");
  const auto groups = static_cast<int64_t>(a.number("groups"));
  int64_t terms = std::max(count_of(w) / w[0], count_of(w) / w[1] / groups);
  for (const char* name : {"gradOutput", "input"}) {
    if (a.has("gradOutput")) terms = std::max(terms, count_of(a.shape(name)) / a.shape(name)[1]);
  }
  return static_cast<double>(terms);
}

// ---- Operators ----------------------------------------------------------------------------------

Parameter tensor(Parameter parameter, Shape shape) {
  return any_dtype(filled(shaped(std::move(parameter), std::move(shape)), 1));
}
Parameter result(std::string name, Shape shape) {
  return any_dtype(shaped(out(std::move(name)), std::move(shape)));
}
// Products before Atlas A2 round FLOAT inputs and take no type that would not.
bool refuses_float(const Arguments& a, std::string_view product, aclDataType dtype) {
  const Number type = a.number("cubeMathType");
  return (product == "Ascend910" || product == "Ascend310P") && dtype == ACL_FLOAT &&
         (type == 0 || type == 3);
}

Domain of_images(std::vector<Sample> samples) {
  return {.everywhere = kFloats,
          .also_refuses = refuses_float,
          .max_rank = 5,
          .grows = false,
          .base = "input",
          .base_shape = kGrouped.input,
          .arrange = arrange,
          .samples = std::move(samples),
          .value_samples = large_samples()};
}

std::vector<ErrorInput> wrong_geometry(const std::vector<ErrorInput>& more) {
  return std::vector{wrong_values("stride", "of one value", {2}, "[2]"),
                     wrong_values("stride", "= [0, 1]", {0, 1}, "[0, 1]"),
                     wrong_values("padding", "= [-1, 0]", {-1, 0}, "[-1, 0]"),
                     wrong_values("padding", "of three values", {0, 0, 0}, "[0, 0, 0]"),
                     wrong_values("dilation", "= [0, 1]", {0, 1}, "[0, 1]"),
                     wrong_values("dilation", "= [9, 1]", {9, 1}, "dilation 9"),
                     wrong_number("groups", 0, "is 0"),
                     wrong_number("cubeMathType", 0, "DT_FLOAT", "Ascend910")} +
         more;
}

const ValuesSpec kNull{.values = {}, .given = false};

// Of a transposed convolution.
ErrorInput wrong_output_padding(const char* what, ValuesSpec padding, std::string word,
                                aclnnStatus status = 161002) {
  return {.what = what,
          .changes = {{"outputPadding", std::move(padding)},
                      {"transposed", true},
                      {"weight", of_shape({4, 3, 3, 2})}},
          .status = status,
          .words = {std::move(word)}};
}

// Of a backward, whose weight has the shape of its gradient.
ErrorInput wrong_weights(const char* what, const Shape& shape, std::string word) {
  return {.what = what,
          .changes = {{"weight", of_shape(shape)}, {"gradWeight", of_shape(shape)}},
          .words = {std::move(word)}};
}

const Parameter kWeight = option(tensor(in("weight"), {6, 2, 3, 2}), "weight", Sets::kShape);

Operator forward() {
  return {
      .call = ACLGRAD_CALL(aclnnConvolution, tensor(in("input"), {1, 4, 5, 6}), kWeight,
                           optional(tensor(in("bias"), {6})), values("stride", {2, 1}),
                           values("padding", {1, 0}), values("dilation", {1, 2}),
                           flag("transposed"), values("outputPadding", {0, 0}, true),
                           integer("groups", 2), result("output", {1, 6, 3, 4}),
                           declared(integer("cubeMathType", 1), "int8_t")),
      .domain = of_images(convolution_samples()),
      .results = {.reference = convolution<false>,
                  .bound = {.of_float = 2, .of_16_bits = 0.51},
                  .roundings = longest_sum,
                  .magnitude = convolution<true>},
      .error_inputs = wrong_geometry(
          {wrong_output_padding("null where transposed", kNull, "null pointer", 161001),
           wrong_output_padding("= [2, 2] where transposed", {{2, 2}}, "is 2"),
           in_nd("input", {1, 4, 5, 6}),
           refused("weight", "without a kernel", of_shape({6, 2, 0, 2}), "[6, 2, 0, 2]"),
           refused("weight", "that groups do not divide", of_shape({5, 2, 3, 2}), "[5, 2, 3, 2]"),
           refused("output", "of an output that cannot be", of_shape({1, 6, 3, 5}), "[1, 6, 3, 5]"),
           refused("input", "of other channels", of_shape({1, 3, 5, 6}), "[1, 3, 5, 6]"),
           {.what = "without channels",
            .changes = {{"input", of_shape({1, 0, 5, 6})}, {"weight", of_shape({6, 0, 3, 2})}},
            .words = {"[1, 0, 5, 6]"}},
           wrong_number("cubeMathType", 5, "[0, 4]")}),
      .words = {
          "cross-correlation over 1 to 3 spatial axes with stride, padding, dilation and groups, "
          "or its adjoint (transposed)",
          "1 到 3 个空间维上的互相关（步长、填充、膨胀、分组），或其伴随（转置卷积）",
          "conv1d(x, weight, bias, options), conv2d, conv3d, conv_transpose2d"}};
}

Operator backward() {
  const std::vector<Sample> samples = convolution_samples();
  const Sample& transposed = samples[7];
  return {.call = ACLGRAD_CALL(
              aclnnConvolutionBackward, tensor(in("gradOutput"), {1, 6, 3, 4}),
              tensor(in("input"), {1, 4, 5, 6}), kWeight, no_option(values("biasSizes", {6}, true)),
              values("stride", {2, 1}), values("padding", {1, 0}), values("dilation", {1, 2}),
              flag("transposed"), values("outputPadding", {0, 0}),
              declared(integer("groups", 2), "int"),
              {"outputMask", BoolsSpec{{1, 1, 1}, 161001, 161001}},
              declared(integer("cubeMathType", 1), "int8_t"), result("gradInput", {1, 4, 5, 6}),
              result("gradWeight", {6, 2, 3, 2}), result("gradBias", {6})),
          .domain = of_images(samples + std::vector{with_mask(transposed, {0, 1, 0}),
                                                    with_mask(transposed, {1, 0, 1})}),
          .results = {.reference = convolution_backward<false>,
                      .bound = {.of_float = 2, .of_16_bits = 0.51, .inner = 64},
                      .roundings = longest_sum,
                      .magnitude = convolution_backward<true>},
          .gradient =
              Gradient{.of = "aclnnConvolution",
                       .inputs =
                           [](const Arguments&, const Arrays& x, const Arrays&, const Array& g) {
                             return Arrays{g, x[0], x[1]};
                           },
                       .count = 3},
          .error_inputs = wrong_geometry(
              {wrong_values("outputPadding", "= [1, 0]", {1, 0}, "[1, 0]"),
               wrong_values("biasSizes", "= [5]", {5}, "[5]"),
               wrong_number("cubeMathType", 4, "[0, 3]"),
               wrong_weights("of other channels", {6, 1, 3, 2}, "[6, 1, 3, 2]"),
               wrong_weights("that groups do not divide", {5, 2, 3, 2}, "[5, 2, 3, 2]"),
               wrong_weights("of a negative size", {6, 2, -1, 2}, "[6, 2, -1, 2]"),
               {.what = "without output channels",
                .changes = {{"weight", of_shape({0, 2, 3, 2})},
                            {"gradWeight", of_shape({0, 2, 3, 2})},
                            {"biasSizes", ValuesSpec{{0}}},
                            {"gradBias", of_shape({0})}},
                .words = {"[1, 4, 5, 6]"}},
               {.what = "null where the input is empty",
                .changes = {{"biasSizes", kNull}, {"input", of_shape({0, 4, 5, 6})}},
                .status = 161001,
                .words = {"null pointer"}}}),
          .words = {"the gradients of input, weight and bias, those that outputMask asks for",
                    "input、weight、bias 的梯度，由 outputMask 选择",
                    "convolution_backward(g, x, weight, options, wanted)", "convolution"}};
}

}  // namespace

FamilyContracts convolution_contracts() {
  return {{"Convolution", "卷积"}, {forward(), backward()}};
}

}  // namespace aclgrad::contract
