// SPDX-License-Identifier: Apache-2.0
// Softmax, its logarithm and layer normalization.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"
#include "aclnnop/aclnn_logsoftmax.h"
#include "aclnnop/aclnn_logsoftmax_backward.h"
#include "aclnnop/aclnn_softmax.h"
#include "aclnnop/aclnn_softmax_backward.h"
#include "ops/contract/dense.h"
#include "ops/contract/describe.h"

namespace aclgrad::contract {
namespace {

// ---- Softmax and its logarithm ------------------------------------------------------------------

// Calls visit(positions of a line's elements) for every line along dim.
template <class Visit>
void for_each_line(const Arguments& a, const Shape& shape, Visit visit) {
  dense::for_each_line(shape, axis_of(a, shape), visit);
}

template <bool kLogarithm>
Arrays softmax(const Arguments& a, const Arrays& in) {
  Array out = in[0];
  for_each_line(a, out.shape, [&](const std::vector<size_t>& line) {
    Number sum = 0;
    for (const size_t i : line) sum += std::exp(in[0].values[i]);
    for (const size_t i : line) {
      const Number x = in[0].values[i];
      out.values[i] = kLogarithm ? x - std::log(sum) : std::exp(x) / sum;
    }
  });
  return {out};
}

// What the difference x - log(sum) is made of: it nearly cancels for a class that is almost
// certain.
Arrays log_softmax_magnitude(const Arguments& a, const Arrays& in) {
  Array out = softmax<true>(a, in)[0];
  for (size_t i = 0; i < out.values.size(); ++i) {
    const Number x = in[0].values[i];
    out.values[i] = std::abs(x) + std::abs(x - out.values[i]);
  }
  return {out};
}

// Inputs: gradOutput, output. With kMagnitude, what the cancelling difference is made of.
template <bool kLogarithm, bool kMagnitude>
Arrays softmax_backward(const Arguments& a, const Arrays& in) {
  Array out = in[0];
  const auto term = [](Number x) { return kMagnitude ? std::abs(x) : x; };
  const auto minus = [](Number x) { return kMagnitude ? x : -x; };
  for_each_line(a, out.shape, [&](const std::vector<size_t>& line) {
    Number sum = 0;
    for (const size_t i : line) {
      sum += term(kLogarithm ? in[0].values[i] : in[0].values[i] * in[1].values[i]);
    }
    for (const size_t i : line) {
      const Number g = term(in[0].values[i]);
      const Number y = in[1].values[i];
      out.values[i] = kLogarithm ? g + minus(std::exp(y) * sum) : y * (g + minus(sum));
    }
  });
  return {out};
}

// What all four have in common.
void along_dim(Operator& op) {
  op.domain.base_shape = {kN, 3, 5};
  op.domain.samples = {{{{"dim", -1.0}}}, {{{"dim", 0.0}}}, {{{"dim", 1.0}}}};
  // Rows of every length, more than one chunk of a sum among them.
  const std::string tensor = op.call.parameters.front().name;
  for (const auto& [shape, dim] : {std::pair{Shape{10}, 0},
                                   {Shape{21, 1}, 1},
                                   {Shape{21, 2}, 1},
                                   {Shape{21, 8}, 1},
                                   {Shape{21, 16}, 1},
                                   {Shape{21, 257}, 1},
                                   {Shape{300, 33}, 1},
                                   {Shape{9, 5000}, 1},
                                   {Shape{5000, 2}, 0}}) {
    op.domain.value_samples.push_back({{{tensor, shape}, {"dim", static_cast<double>(dim)}}});
  }
  op.domain.arrange = [](Arguments& a) {
    const std::string& first = a.op().call.parameters.front().name;
    const Shape shape = a.shape(first);
    const auto rank = static_cast<int64_t>(shape.size());
    const auto dim = static_cast<int64_t>(a.number("dim"));
    if (rank == 0 || dim < -rank || dim >= rank || count_of(shape) == 0) {
      throw std::invalid_argument("dim " + std::to_string(dim) + " does not fit a tensor of rank " +
                                  std::to_string(rank) + ", or the tensor is empty");
    }
    for (Parameter& each : a.parameters()) {
      if (each.tensor() != nullptr) std::get<TensorSpec>(each.spec).shape = shape;
    }
  };
}

void add_softmax(std::vector<Operator>& all) {
  const Parameter dim = integer("dim", -1);
  const auto tensor = [](Parameter parameter, double fill = 1) {
    return filled(shaped(std::move(parameter), {2, 3}), fill);
  };
  Operator forward = contract_of<decltype(aclnnSoftmaxGetWorkspaceSize)>(
      "aclnnSoftmax", {any_dtype(tensor(in("self"), 3)), dim, any_dtype(tensor(out("out")))},
      kFloatsAndDouble);
  along_dim(forward);
  forward.results.reference = softmax<false>;
  // Exponentials of DOUBLE are good to 2^-49, which is up to 16 units in the last place.
  forward.results.bound = {.of_float = 0.501, .of_16_bits = 0.501, .of_double = 16};
  forward.error_inputs = {bad_dim(-3)};
  forward.words.computes = {"e^(x − max) / Σ e^(x − max) along dim",
                            "沿 dim 的 e^(x − max) / Σ e^(x − max)"};
  forward.words.in_graph = "softmax(x, dim)";

  Operator backward = contract_of<decltype(aclnnSoftmaxBackwardGetWorkspaceSize)>(
      "aclnnSoftmaxBackward",
      {tensor(in("gradOutput")), tensor(in("output", 0, 1)), dim, any_dtype(tensor(out("out")))},
      kFloatsAndDouble);
  along_dim(backward);
  backward.results.reference = softmax_backward<false, false>;
  backward.results.magnitude = softmax_backward<false, true>;
  backward.results.bound = {.of_float = 0.51, .of_16_bits = 0.51, .of_double = 3, .inner = 0.5};
  backward.gradient = from_result("aclnnSoftmax");
  backward.error_inputs = {bad_dim(2)};
  backward.words.check = "softmax";
  backward.words.computes = {"output·(g − Σ g·output) along dim",
                             "沿 dim 的 output·(g − Σ g·output)"};
  backward.words.in_graph = "softmax_backward(g, output, dim)";

  Operator logarithm = contract_of<decltype(aclnnLogSoftmaxGetWorkspaceSize)>(
      "aclnnLogSoftmax", {any_dtype(tensor(in("self"), 3)), dim, any_dtype(tensor(out("out")))},
      kFloatsAndDouble);
  along_dim(logarithm);
  logarithm.results.reference = softmax<true>;
  logarithm.results.magnitude = log_softmax_magnitude;
  // With sums in double. In DOUBLE exponentials are good to 2^-49, and so is their sum:
  // its logarithm may be off by that much, 8 ulp of 1, however small it is.
  logarithm.results.bound = {.of_float = 0.501, .of_16_bits = 0.501, .of_double = 16};
  logarithm.results.least_magnitude_double = 1;
  logarithm.error_inputs = {bad_dim(2)};
  logarithm.words.computes = {"x − max − log Σ e^(x − max) along dim",
                              "沿 dim 的 x − max − log Σ e^(x − max)"};
  logarithm.words.in_graph = "log_softmax(x, dim)";

  Operator slope = contract_of<decltype(aclnnLogSoftmaxBackwardGetWorkspaceSize)>(
      "aclnnLogSoftmaxBackward",
      {tensor(in("gradOutput")), tensor(in("output", -4, 0)), dim, any_dtype(tensor(out("out")))},
      kFloats);
  along_dim(slope);
  slope.results.reference = softmax_backward<true, false>;
  slope.results.magnitude = softmax_backward<true, true>;
  slope.results.bound = {.of_float = 0.51, .of_16_bits = 0.51, .inner = 0.5};
  slope.gradient = from_result("aclnnLogSoftmax");
  slope.error_inputs = {bad_dim(-3)};
  slope.words.check = "log_softmax";
  slope.words.computes = {"g − e^output·Σ g along dim", "沿 dim 的 g − e^output·Σ g"};
  slope.words.in_graph = "log_softmax_backward(g, output, dim)";
  all.insert(all.end(), {logarithm, slope, forward, backward});
}

// ---- Layer normalization ------------------------------------------------------------------------

void give(Arguments& a, const char* name, const Shape& shape) {
  if (!a.has(name)) return;
  TensorSpec& tensor = a.tensor(name);
  tensor.shape = shape;
  tensor.optional = false;
}

// Rows have the last dimensions of the input; weight and bias are of one row, mean and rstd of one
// number a row.
void arrange_rows(Arguments& a) {
  const Shape shape = a.shape("input");
  if (shape.size() < a.array("normalizedShape").size() || count_of(shape) == 0) {
    throw std::invalid_argument(
        "the input must have at least the dimensions of a row, and elements");
  }
  const auto split = shape.end() - static_cast<ptrdiff_t>(a.array("normalizedShape").size());
  const Shape row(split, shape.end());
  Shape numbers(shape.begin(), split);
  numbers.resize(shape.size(), 1);
  a.array("normalizedShape") = row;
  for (const char* name : {"weightOptional", "biasOptional", "gradWeightOut", "gradBiasOut"}) {
    if (a.has(name)) a.shape(name) = row;
  }
  for (const char* name : {"gradOut", "out", "gradInputOut"}) {
    if (a.has(name)) a.shape(name) = shape;
  }
  for (const char* name : {"mean", "rstd", "meanOutOptional", "rstdOutOptional"}) {
    give(a, name, numbers);
  }
}

size_t length_of(const Arguments& a) {
  return static_cast<size_t>(count_of(a.array("normalizedShape")));
}

// Inputs: input, and weight and bias if they are given. Results: out, mean, rstd.
template <bool kMagnitude>
Arrays layer_norm(const Arguments& a, const Arrays& in) {
  const size_t n = length_of(a);
  const auto count = static_cast<Number>(n);
  Array out = in[0];
  Array means{a.shape("meanOutOptional"), {}};
  Array rstds{a.shape("rstdOutOptional"), {}};
  for (size_t first = 0; first < out.values.size(); first += n) {
    Number* const row = out.values.data() + first;
    Number mean = 0, size = 0, variance = 0;
    for (size_t i = 0; i < n; ++i) mean += row[i];  // exact, unless the numbers lie far apart
    mean /= count;
    for (size_t i = 0; i < n; ++i) size += std::abs(row[i]) / count;
    for (size_t i = 0; i < n; ++i) variance += (row[i] - mean) * (row[i] - mean) / count;
    const Number rstd = 1 / std::sqrt(variance + a.number("eps"));
    for (size_t i = 0; i < n; ++i) {
      const Number scaled = (row[i] - mean) * rstd * (in.size() > 1 ? in[1].values[i] : 1);
      const Number bias = in.size() > 2 ? in[2].values[i] : 0;
      row[i] = kMagnitude ? std::abs(scaled) + std::abs(bias) : scaled + bias;
    }
    means.values.push_back(kMagnitude ? size : mean);
    rstds.values.push_back(rstd);
  }
  return {out, means, rstds};
}

// Inputs: gradOut, input, mean, rstd, and weight if it is given. Results: three gradients, of which
// those that outputMask leaves out stay as they were.
template <bool kMagnitude>
Arrays layer_norm_backward(const Arguments& a, const Arrays& in) {
  const auto term = [](Number x) { return kMagnitude ? std::abs(x) : x; };
  const auto minus = [](Number x) { return kMagnitude ? std::abs(x) : -x; };
  const size_t n = length_of(a);
  const auto count = static_cast<Number>(n);
  Array input = in[0];
  Array weight{a.shape("gradWeightOut"), std::vector<Number>(n)};
  Array bias = weight;
  for (size_t row = 0; row * n < input.values.size(); ++row) {
    const Number rstd = in[3].values[row];
    const auto gradient = [&](size_t i) { return in[0].values[row * n + i]; };
    const auto weighted = [&](size_t i) {
      return gradient(i) * (in.size() > 4 ? in[4].values[i] : 1);
    };
    const auto normalized = [&](size_t i) {
      return (in[1].values[row * n + i] - in[2].values[row]) * rstd;
    };
    Number plain = 0, along = 0;
    for (size_t i = 0; i < n; ++i) {
      plain += term(weighted(i)) / count;
      along += term(weighted(i) * normalized(i)) / count;
      weight.values[i] += term(gradient(i) * normalized(i));
      bias.values[i] += term(gradient(i));
    }
    for (size_t i = 0; i < n; ++i) {
      input.values[row * n + i] =
          rstd * (term(weighted(i)) + minus(plain) + minus(normalized(i) * along));
    }
  }
  return masked(a, {input, weight, bias});
}

// With a weight and a bias or without, in the input's dtype or in FLOAT.
std::vector<Sample> layer_norm_samples() {
  const std::pair<std::string, Setting> eps{"eps", 1e-3};
  const std::pair<std::string, Setting> both{"normalizedShape", Shape{3, 5}};
  const std::pair<std::string, Setting> weight{"weightOptional", Shape{}};
  const std::pair<std::string, Setting> bias{"biasOptional", Shape{}};
  Sample in_float{{both, eps, weight, bias}};
  for (const char* name : {"weightOptional", "biasOptional", "meanOutOptional", "rstdOutOptional",
                           "mean", "rstd", "gradWeightOut", "gradBiasOut"}) {
    in_float.settings.emplace_back(name, ACL_FLOAT);
  }
  in_float.is_gradient = false;  // of DOUBLE: mean and rstd are rounded
  return {{{{"normalizedShape", Shape{5}}, eps, weight, bias}},
          {{both, eps, weight, bias}},
          in_float,
          {{{"normalizedShape", Shape{5}}, eps}}};
}

// Few and many, short and longer than one chunk of a sum.
std::vector<Sample> long_rows() {
  std::vector<Sample> samples;
  for (const Shape& shape : {Shape{300, 33}, Shape{9, 5000}, Shape{5000, 6}}) {
    samples.push_back({{{"input", shape},
                        {"normalizedShape", Shape{shape[1]}},
                        {"eps", 1e-3},
                        {"weightOptional", Shape{}}}});
  }
  return samples;
}

void add_layer_norm(std::vector<Operator>& all) {
  const auto tensor = [](Parameter parameter, Shape shape, double fill = 1) {
    return filled(shaped(std::move(parameter), std::move(shape)), fill);
  };
  const Parameter sizes{"normalizedShape", SizesSpec{{3}}};
  Operator forward = contract_of<decltype(aclnnLayerNormGetWorkspaceSize)>(
      "aclnnLayerNorm",
      {any_dtype(tensor(in("input"), {2, 3}, 3)),
       sizes,
       optional(tensor(in("weightOptional"), {3})),
       optional(tensor(in("biasOptional"), {3})),
       {"eps", 0.25},
       any_dtype(tensor(out("out"), {2, 3})),
       any_dtype(optional(tensor(out("meanOutOptional"), {2, 1}))),
       any_dtype(optional(tensor(out("rstdOutOptional"), {2, 1})))},
      kFloats);
  forward.domain.base_shape = {kN, 3, 5};
  forward.domain.arrange = arrange_rows;
  forward.domain.samples = layer_norm_samples();
  forward.domain.value_samples = long_rows();
  forward.results.reference = layer_norm<false>;
  forward.results.magnitude = layer_norm<true>;
  // 16 bits are those of FLOAT, rounded.
  forward.results.bound = {.of_float = 0.501, .of_16_bits = 0.5001};
  forward.error_inputs = {
      {.what = "of another dtype than weightOptional's",
       .changes = {{"biasOptional", TensorSpec{.shape = {3}, .dtype = ACL_FLOAT16}},
                   {"weightOptional", TensorSpec{.shape = {3}, .dtype = ACL_FLOAT}}},
       .words = {"same dtype"},
       .dtype = ACL_FLOAT16},
      refused("normalizedShape", "without sizes", Shape{}, "[]")};
  forward.words.computes = {
      "(x − mean)·rstd·weight + bias over the last dimensions, rstd = 1/√(variance + eps)",
      "对末尾几维求 (x − mean)·rstd·weight + bias，rstd = 1/√(方差 + eps)"};
  forward.words.in_graph = "layer_norm(x, weight, bias, eps)";

  Operator backward = contract_of<decltype(aclnnLayerNormBackwardGetWorkspaceSize)>(
      "aclnnLayerNormBackward",
      {tensor(in("gradOut"), {2, 3}),
       tensor(in("input"), {2, 3}, 3),
       sizes,
       any_dtype(tensor(in("mean", -1, 1), {2, 1})),
       any_dtype(tensor(in("rstd", 0.5L, 2), {2, 1}, 0.5)),
       optional(tensor(in("weightOptional"), {3})),
       optional(tensor(in("biasOptional"), {3})),
       {"outputMask", BoolsSpec{{1, 1, 1}}},
       any_dtype(tensor(out("gradInputOut"), {2, 3})),
       any_dtype(tensor(out("gradWeightOut"), {3})),
       any_dtype(tensor(out("gradBiasOut"), {3}))},
      kFloats);
  backward.domain.base = "input";
  backward.domain.base_shape = forward.domain.base_shape;
  backward.domain.arrange = [](Arguments& a) {
    arrange_rows(a);
    // Its bias is not read.
    a.tensor("biasOptional").optional = true;
  };
  backward.domain.samples = layer_norm_samples();
  backward.domain.value_samples = long_rows();
  Sample some = backward.domain.samples[1];
  some.settings.emplace_back("outputMask", Shape{0, 1, 0});
  some.is_gradient = false;
  backward.domain.samples.push_back(some);
  backward.results.reference = layer_norm_backward<false>;
  backward.results.magnitude = layer_norm_backward<true>;
  backward.results.bound = {.of_float = 0.51, .of_16_bits = 0.51, .inner = 0.5};
  backward.gradient = Gradient{
      "aclnnLayerNorm", [](const Arguments&, const Arrays& x, const Arrays& y, const Array& g) {
        Arrays given = {g, x[0], y[1], y[2]};
        if (x.size() > 1) given.push_back(x[1]);
        return given;
      }};
  backward.gradient->count = 3;
  backward.error_inputs = {
      refused("normalizedShape", "of more sizes than input", Shape{1, 2, 3}, "[1, 2, 3]")};
  backward.words.check = "layer_norm";
  backward.words.computes = {
      "the gradients of input, weight and bias, those that outputMask asks for",
      "input、weight、bias 的梯度，由 outputMask 选择"};
  backward.words.in_graph = "layer_norm_backward(g, x, mean, rstd, weight, wanted)";
  all.insert(all.end(), {forward, backward});
}

}  // namespace

FamilyContracts normalization_contracts() {
  FamilyContracts family{{"Softmax and normalization", "Softmax 与归一化"}, {}};
  add_softmax(family.operators);
  add_layer_norm(family.operators);
  add_rms_norm(family.operators);
  add_channel_norm(family.operators);
  return family;
}

}  // namespace aclgrad::contract
