// SPDX-License-Identifier: Apache-2.0
// Normalization of the rows of a residual sum.
#include <stdexcept>

#include "aclnnop/aclnn_add_layer_norm.h"
#include "aclnnop/aclnn_add_layer_norm_grad.h"
#include "aclnnop/aclnn_add_rms_norm.h"
#include "aclnnop/aclnn_inplace_add_rms_norm.h"
#include "ops/normalization/rows_contract.h"

namespace aclgrad::contract {
namespace {

void arrange_sum(Arguments& a) {
  const Shape shape = a.shape("x1");
  const size_t normalized = a.shape("gamma").size();
  if (shape.size() < normalized || count_of(shape) == 0) {
    throw std::invalid_argument("x1 must have at least the dimensions of a row, and elements");
  }
  const auto split = shape.end() - static_cast<ptrdiff_t>(normalized);
  const Shape row(split, shape.end());
  const bool has_mean = a.has("mean") || a.has("meanOut");  // has one 1 for all of a row
  const Shape numbers = numbers_of_rows(a, shape, normalized, has_mean ? 1 : normalized);
  a.reshape({"x2", "dy", "dsum", "yOut", "xOut", "dxOut"}, shape);
  a.reshape({"gamma", "beta", "dgammaOut", "dbetaOut"}, row);
  a.reshape({"mean", "rstd", "meanOut"}, numbers);
  if (a.has("biasOptional") && a.is_set("biasOptional") && a.shape("biasOptional").empty()) {
    a.shape("biasOptional") = row;
  }
  a.reshape({"rstdOut"}, numbers);
  if (a.has("additionalOutput")) {
    a.tensor("xOut").optional = a.number("additionalOutput") == 0 && !a.is_set("xOut");
  }
}

// Inputs: x1, x2, gamma. Results: y, rstd, x.
template <bool kMagnitude>
Arrays add_rms_norm(const Arguments& a, const Arrays& in) {
  const SumOfRows sum({{1, in[0]}, {1, in[1]}});
  const NormalizedRows rows =
      normalized_rows<kMagnitude>(sum, in[2], nullptr, a.number("epsilon"), /*centered=*/false);
  return {rows.y, {a.shape("rstdOut"), rows.rstd}, kMagnitude ? sum.size : sum.sum};
}

// Inputs: x1, x2, gamma. Results: y in x1, x in x2, rstd.
template <bool kMagnitude>
Arrays add_rms_norm_in_place(const Arguments& a, const Arrays& in) {
  const SumOfRows sum({{1, in[0]}, {1, in[1]}});
  const NormalizedRows rows =
      normalized_rows<kMagnitude>(sum, in[2], nullptr, a.number("epsilon"), /*centered=*/false);
  return {rows.y, kMagnitude ? sum.size : sum.sum, {a.shape("rstd"), rows.rstd}};
}

// Inputs: x1, x2, gamma, beta, and bias if it is given. Results: y, mean, rstd, and x.
template <bool kMagnitude>
Arrays add_layer_norm(const Arguments& a, const Arrays& in) {
  std::vector<std::pair<Number, Array>> terms = {{1, in[0]}, {1, in[1]}};
  if (in.size() > 4) terms.emplace_back(1, in[4]);
  SumOfRows sum(terms);
  const NormalizedRows rows =
      normalized_rows<kMagnitude>(sum, in[2], &in[3], a.number("epsilon"), /*centered=*/true);
  const Shape& numbers = a.shape("meanOut");
  Arrays results = {rows.y, {numbers, rows.mean}, {numbers, rows.rstd}};
  if (a.number("additionalOutput") != 0) {
    results.push_back(kMagnitude ? sum.size : sum.sum);
  } else if (a.is_set("xOut")) {
    results.push_back({sum.sum.shape, {}});
  }
  return results;
}

// Inputs: dy, x1, x2, rstd, mean, gamma, dsum. Results: dx, dgamma, dbeta.
template <bool kMagnitude>
Arrays add_layer_norm_grad(const Arguments&, const Arrays& in) {
  const SumOfRows sum({{1, in[1]}, {1, in[2]}});
  Arrays results = gradients_of_rows<kMagnitude>(in[0], sum, in[4].values, in[3].values, in[5]);
  for (size_t i = 0; i < in[6].values.size(); ++i) {
    results[0].values[i] += dense::term<kMagnitude>(in[6].values[i]);
  }
  return results;
}

Arrays given_sum(const Arguments&, const Arrays& x, const Arrays& y, const Array& g) {
  return {g, x[0], x[1], y[2], y[1], x[2], dense::full(g.shape)};
}

Domain domain_of(std::vector<Sample> samples) {
  const std::pair<std::string, Setting> epsilon{"epsilon", 1e-3};
  const std::vector<Sample> all = {{{epsilon}}, {{{"gamma", Shape{3, 5}}, epsilon}}, kNumbersAlone};
  return {.everywhere = kFloats,
          .base = "x1",
          .base_shape = {kN, 3, 5},
          .arrange = arrange_sum,
          .samples = all + samples,
          .value_samples = with_long_rows("x1", {{epsilon}})};
}

}  // namespace

void add_residual_norm(std::vector<Operator>& all) {
  const auto matrix = [](Parameter parameter, double fill = 1) {
    return filled(shaped(std::move(parameter), {2, 3}), fill);
  };
  const auto row = [](Parameter parameter) { return shaped(std::move(parameter), {3}); };
  const auto number = [](Parameter parameter) {
    return typed(filled(shaped(std::move(parameter), {2, 1}), 0.5), ACL_FLOAT);
  };
  const Parameter epsilon{"epsilon", 0.25};
  const ErrorInput other_rows = refused("gamma", "of other rows", of_shape({2}), "[2, 3]");
  all.push_back({
      .call =
          ACLGRAD_CALL(aclnnAddRmsNorm, matrix(in("x1"), 2), matrix(in("x2")), row(in("gamma")),
                       epsilon, matrix(out("yOut")), number(out("rstdOut")), matrix(out("xOut"))),
      .domain = domain_of({}),
      .results = {.reference = add_rms_norm<false>,
                  .bound = {.of_float = 0.501, .of_16_bits = 0.501, .of_double = 8},
                  .magnitude = add_rms_norm<true>},
      .error_inputs = {other_rows},
      .words = {"rms_norm(x1 + x2), and the sum", "rms_norm(x1 + x2) 及该和", "", "add_rms_norm"},
  });
  const auto in_place = [](Parameter parameter) {
    std::get<TensorSpec>(parameter.spec).role = Role::kInPlace;
    return parameter;
  };
  all.push_back({
      .call =
          ACLGRAD_CALL(aclnnInplaceAddRmsNorm, in_place(matrix(in("x1"), 2)),
                       in_place(matrix(in("x2"))), row(in("gamma")), epsilon, number(out("rstd"))),
      .domain = domain_of({}),
      .results = {.reference = add_rms_norm_in_place<false>,
                  .bound = {.of_float = 0.501, .of_16_bits = 0.501, .of_double = 8},
                  .magnitude = add_rms_norm_in_place<true>},
      .error_inputs = {other_rows},
      .words = {"rms_norm(x1 + x2) in x1, and the sum in x2", "x1 得 rms_norm(x1 + x2)，x2 得该和",
                "", "inplace_add_rms_norm"},
  });

  // x1 of 16 bits and x2 of others: all in between is FLOAT.
  Sample mixed{{{"x1", ACL_FLOAT16}}, false};
  for (const char* name : {"x2", "yOut", "xOut", "dy", "dsum", "dxOut"}) {
    mixed.settings.emplace_back(name, ACL_FLOAT);
  }
  const Sample biased{{{"biasOptional", Shape{}}, {"epsilon", 1e-3}}, false};
  const Sample biased_rows{{{"biasOptional", Shape{3, 1}}, {"additionalOutput", 0.0}}, false};
  const Sample kept{{{"additionalOutput", 0.0}, {"xOut", Shape{}}}, false};
  const auto any_row = [&](Parameter parameter) { return any_dtype(row(std::move(parameter))); };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnAddLayerNorm, any_dtype(matrix(in("x1"), 2)),
                           any_dtype(matrix(in("x2"))), any_row(in("gamma")), any_row(in("beta")),
                           optional(any_row(in("biasOptional"))), epsilon,
                           flag("additionalOutput", true), matrix(out("yOut")),
                           number(out("meanOut")), number(out("rstdOut")), matrix(out("xOut"))),
      .domain = domain_of({mixed, biased, biased_rows, kept}),
      .results = {.reference = add_layer_norm<false>,
                  .bound = {.of_float = 0.501, .of_16_bits = 0.501, .of_double = 8},
                  .magnitude = add_layer_norm<true>},
      .error_inputs = {other_rows},
      .words = {"layer_norm(x1 + x2 + bias), and the sum", "layer_norm(x1 + x2 + bias) 及该和"},
  });
  all.push_back({
      .call = ACLGRAD_CALL(aclnnAddLayerNormGrad, matrix(in("dy")), any_dtype(matrix(in("x1"), 2)),
                           any_dtype(matrix(in("x2"))), number(in("rstd", 0.5L, 2)),
                           number(in("mean", -1, 1)), any_row(in("gamma")), matrix(in("dsum")),
                           matrix(out("dxOut")), typed(row(out("dgammaOut")), ACL_FLOAT),
                           typed(row(out("dbetaOut")), ACL_FLOAT)),
      .domain = domain_of({mixed}),
      .results = {.reference = add_layer_norm_grad<false>,
                  .bound = {.of_float = 0.51, .of_16_bits = 0.51, .of_double = 8, .inner = 0.5},
                  .magnitude = add_layer_norm_grad<true>},
      .gradient =
          Gradient{
              .of = "aclnnAddLayerNorm", .inputs = given_sum, .order = {"x1", "gamma", "beta"}},
      .error_inputs = {other_rows},
      .words = {"the gradients of x1 (and x2), gamma and beta", "x1（及 x2）、gamma 与 beta 的梯度",
                "", "add_layer_norm"},
  });
}

}  // namespace aclgrad::contract
