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
      // Where the sum is 0, y does not count: the row may be one of a target that is ignored.
      const Number share = sum == 0 ? sum : std::exp(y) * sum;
      out.values[i] = kLogarithm ? g + minus(share) : y * (g + minus(sum));
    }
  });
  return {out};
}

void arrange_alike(Arguments& a) {
  const Shape shape = a.shape(a.op().call.parameters.front().name);
  const auto rank = static_cast<int64_t>(shape.size());
  const auto dim = static_cast<int64_t>(a.number("dim"));
  if (rank == 0 || dim < -rank || dim >= rank || count_of(shape) == 0) {
    throw std::invalid_argument("dim " + std::to_string(dim) + " does not fit a tensor of rank " +
                                std::to_string(rank) + ", or the tensor is empty");
  }
  a.reshape({"self", "gradOutput", "output", "out"}, shape);
}

// The domain of all four, of which `first` is the first tensor.
Domain along_dim(const char* first, DTypes dtypes = kFloatsAndDouble) {
  Domain domain{.everywhere = std::move(dtypes),
                .base_shape = {kN, 3, 5},
                .arrange = arrange_alike,
                .samples = samples_of("dim", {-1, 0, 1})};
  // Rows of every length, more than one chunk of a sum among them.
  for (const auto& [shape, dim] : {std::pair{Shape{10}, 0},
                                   {Shape{21, 1}, 1},
                                   {Shape{21, 2}, 1},
                                   {Shape{21, 8}, 1},
                                   {Shape{21, 16}, 1},
                                   {Shape{21, 257}, 1},
                                   {Shape{300, 33}, 1},
                                   {Shape{9, 5000}, 1},
                                   {Shape{5000, 2}, 0}}) {
    domain.value_samples.push_back({{{first, shape}, {"dim", static_cast<double>(dim)}}});
  }
  return domain;
}

void add_softmax(std::vector<Operator>& all) {
  const auto tensor = [](Parameter parameter, double fill = 1) {
    return filled(shaped(std::move(parameter), {2, 3}), fill);
  };
  const Parameter dim = integer("dim", -1), self = any_dtype(tensor(in("self"), 3));
  const Parameter result = any_dtype(tensor(out("out"))), gradient = tensor(in("gradOutput"));
  all.push_back({
      .call = ACLGRAD_CALL(aclnnLogSoftmax, self, dim, result),
      .domain = along_dim("self"),
      // With sums in double. In DOUBLE exponentials are good to 2^-49, and so is their sum: its
      // logarithm may be off by that much, 8 ulp of 1, however small it is.
      .results = {.reference = softmax<true>,
                  .bound = {.of_float = 0.501, .of_16_bits = 0.501, .of_double = 16},
                  .magnitude = log_softmax_magnitude,
                  .least_magnitude_double = 1},
      .error_inputs = {bad_dim(2)},
      .words = {"x − max − log Σ e^(x − max) along dim", "沿 dim 的 x − max − log Σ e^(x − max)",
                "log_softmax(x, dim)"},
  });
  all.push_back({
      .call =
          ACLGRAD_CALL(aclnnLogSoftmaxBackward, gradient, tensor(in("output", -4, 0)), dim, result),
      .domain = along_dim("gradOutput", kFloats),
      .results = {.reference = softmax_backward<true, false>,
                  .bound = {.of_float = 0.51, .of_16_bits = 0.51, .inner = 0.5},
                  .magnitude = softmax_backward<true, true>},
      .gradient = from_result("aclnnLogSoftmax"),
      .error_inputs = {bad_dim(-3)},
      .words = {"g − e^output·Σ g along dim", "沿 dim 的 g − e^output·Σ g",
                "log_softmax_backward(g, output, dim)", "log_softmax"},
  });
  all.push_back({
      .call = ACLGRAD_CALL(aclnnSoftmax, self, dim, result),
      .domain = along_dim("self"),
      // Exponentials of DOUBLE are good to 2^-49, which is up to 16 units in the last place.
      .results = {.reference = softmax<false>,
                  .bound = {.of_float = 0.501, .of_16_bits = 0.501, .of_double = 16}},
      .error_inputs = {bad_dim(-3)},
      .words = {"e^(x − max) / Σ e^(x − max) along dim", "沿 dim 的 e^(x − max) / Σ e^(x − max)",
                "softmax(x, dim)"},
  });
  all.push_back({
      .call = ACLGRAD_CALL(aclnnSoftmaxBackward, gradient, tensor(in("output", 0, 1)), dim, result),
      .domain = along_dim("gradOutput"),
      .results = {.reference = softmax_backward<false, false>,
                  .bound = {.of_float = 0.51, .of_16_bits = 0.51, .of_double = 3, .inner = 0.5},
                  .magnitude = softmax_backward<false, true>},
      .gradient = from_result("aclnnSoftmax"),
      .error_inputs = {bad_dim(2)},
      .words = {"output·(g − Σ g·output) along dim", "沿 dim 的 output·(g − Σ g·output)",
                "softmax_backward(g, output, dim)", "softmax"},
  });
}

// ---- Layer normalization ------------------------------------------------------------------------

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
  a.reshape({"weightOptional", "biasOptional", "gradWeightOut", "gradBiasOut"}, row);
  a.reshape({"gradOut", "out", "gradInputOut"}, shape);
  a.reshape({"mean", "rstd", "meanOutOptional", "rstdOutOptional"}, numbers);
  for (Parameter& each : a.parameters()) {
    if (each.name == "meanOutOptional" || each.name == "rstdOutOptional") {
      std::get<TensorSpec>(each.spec).optional = false;
    }
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
  const Operator forward{
      .call = ACLGRAD_CALL(aclnnLayerNorm, any_dtype(tensor(in("input"), {2, 3}, 3)), sizes,
                           optional(tensor(in("weightOptional"), {3})),
                           optional(tensor(in("biasOptional"), {3})), {"eps", 0.25},
                           any_dtype(tensor(out("out"), {2, 3})),
                           any_dtype(optional(tensor(out("meanOutOptional"), {2, 1}))),
                           any_dtype(optional(tensor(out("rstdOutOptional"), {2, 1})))),
      .domain = {.everywhere = kFloats,
                 .base_shape = {kN, 3, 5},
                 .arrange = arrange_rows,
                 .samples = layer_norm_samples(),
                 .value_samples = long_rows()},
      .results = {.reference = layer_norm<false>,
                  // 16 bits are those of FLOAT, rounded.
                  .bound = {.of_float = 0.501, .of_16_bits = 0.5001},
                  .magnitude = layer_norm<true>},
      .error_inputs =
          {{.what = "of another dtype than weightOptional's",
            .changes = {{"biasOptional", TensorSpec{.shape = {3}, .dtype = ACL_FLOAT16}},
                        {"weightOptional", TensorSpec{.shape = {3}, .dtype = ACL_FLOAT}}},
            .words = {"same dtype"},
            .dtype = ACL_FLOAT16},
           refused("normalizedShape", "without sizes", Shape{}, "[]")},
      .words = {
          "(x − mean)·rstd·weight + bias over the last dimensions, rstd = 1/√(variance + eps)",
          "对末尾几维求 (x − mean)·rstd·weight + bias，rstd = 1/√(方差 + eps)",
          "layer_norm(x, weight, bias, eps)"}};

  const auto arrange = [](Arguments& a) {
    arrange_rows(a);
    a.tensor("biasOptional").optional = true;  // it is not read
  };
  const auto given = [](const Arguments& a, const Arrays& x, const Arrays& y, const Array& g) {
    Arrays inputs = {g, x[0], y.at(1), y.at(2)};
    if (x.size() > 1) inputs.push_back(x[1]);
    if (x.size() > 2 && !a.parameters()[6].tensor()->optional) inputs.push_back(x[2]);
    return inputs;
  };
  const Operator backward{
      .call = ACLGRAD_CALL(
          aclnnLayerNormBackward, tensor(in("gradOut"), {2, 3}), tensor(in("input"), {2, 3}, 3),
          sizes, any_dtype(tensor(in("mean", -1, 1), {2, 1})),
          any_dtype(tensor(in("rstd", 0.5L, 2), {2, 1}, 0.5)),
          optional(tensor(in("weightOptional"), {3})), optional(tensor(in("biasOptional"), {3})),
          {"outputMask", BoolsSpec{{1, 1, 1}}}, any_dtype(tensor(out("gradInputOut"), {2, 3})),
          any_dtype(tensor(out("gradWeightOut"), {3})), any_dtype(tensor(out("gradBiasOut"), {3}))),
      .domain = {.everywhere = kFloats,
                 .base = "input",
                 .base_shape = forward.domain.base_shape,
                 .arrange = arrange,
                 .samples = layer_norm_samples() +
                            std::vector{with_mask(layer_norm_samples()[1], {0, 1, 0})},
                 .value_samples = long_rows()},
      .results = {.reference = layer_norm_backward<false>,
                  .bound = {.of_float = 0.51, .of_16_bits = 0.51, .inner = 0.5},
                  .magnitude = layer_norm_backward<true>},
      .gradient = Gradient{.of = "aclnnLayerNorm", .inputs = given, .count = 3},
      .error_inputs = {refused("normalizedShape", "of more sizes than input", Shape{1, 2, 3},
                               "[1, 2, 3]")},
      .words = {"the gradients of input, weight and bias, those that outputMask asks for",
                "input、weight、bias 的梯度，由 outputMask 选择",
                "layer_norm_backward(g, x, mean, rstd, weight, wanted)", "layer_norm"}};
  all.insert(all.end(), {forward, backward});
}

}  // namespace

FamilyContracts normalization_contracts() {
  FamilyContracts family{{"Softmax and normalization", "Softmax 与归一化"}, {}};
  add_softmax(family.operators);
  add_layer_norm(family.operators);
  add_rms_norm(family.operators);
  add_channel_norm(family.operators);
  add_sync_norm(family.operators);
  add_group_swish_norm(family.operators);
  add_fused_rows(family.operators);
  add_residual_norm(family.operators);
  return family;
}

}  // namespace aclgrad::contract
