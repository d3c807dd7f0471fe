// SPDX-License-Identifier: Apache-2.0
// Softmax of scaled and masked scores, and normalization of a weighted sum.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "aclnnop/aclnn_deep_norm.h"
#include "aclnnop/aclnn_deep_norm_grad.h"
#include "aclnnop/aclnn_scaled_masked_softmax.h"
#include "aclnnop/aclnn_scaled_masked_softmax_backward.h"
#include "ops/contract/dense.h"
#include "ops/contract/describe.h"
#include "ops/normalization/rows_contract.h"

namespace aclgrad::contract {
namespace {

// ---- Masked softmax -----------------------------------------------------------------------------

void arrange_masked(Arguments& a) {
  const Shape shape = a.shape(a.has("x") ? "x" : "yGrad");
  if (shape.size() != 4 || count_of(shape) == 0) {
    throw std::invalid_argument("scores have rank 4, and elements");
  }
  if (!a.is_set("mask")) a.shape("mask") = {shape[0], 1, shape[2], shape[3]};
  a.reshape({"y", "xGrad"}, shape);
}

bool is_masked(const Arguments& a, const Array& mask, const Shape& shape, size_t i) {
  if (a.number("fixedTriuMask") == 0) return mask.values[dense::source(mask.shape, shape, i)] != 0;
  const auto width = static_cast<size_t>(shape[3]), height = static_cast<size_t>(shape[2]);
  return i % width > i / width % height;
}

// Inputs: x, mask.
Arrays masked_softmax(const Arguments& a, const Arrays& in) {
  Array y = in[0];
  for (size_t i = 0; i < y.values.size(); ++i) {
    y.values[i] = is_masked(a, in[1], y.shape, i) ? -10000 : y.values[i] * a.number("scale");
  }
  dense::for_each_line(y.shape, 3, [&](const std::vector<size_t>& line) {
    Number most = y.values[line[0]], sum = 0;
    for (const size_t i : line) most = std::max(most, y.values[i]);
    for (const size_t i : line) sum += y.values[i] = std::exp(y.values[i] - most);
    for (const size_t i : line) y.values[i] /= sum;
  });
  return {y};
}

// Inputs: yGrad, y, mask.
template <bool kMagnitude>
Arrays masked_softmax_backward(const Arguments& a, const Arrays& in) {
  Array out = in[0];
  dense::for_each_line(out.shape, 3, [&](const std::vector<size_t>& line) {
    Number sum = 0;
    for (const size_t i : line) sum += dense::term<kMagnitude>(in[0].values[i] * in[1].values[i]);
    for (const size_t i : line) {
      const Number g = dense::term<kMagnitude>(in[0].values[i]);
      out.values[i] = is_masked(a, in[2], out.shape, i)
                          ? 0
                          : a.number("scale") * in[1].values[i] * (kMagnitude ? g + sum : g - sum);
    }
  });
  return {out};
}

void add_masked_softmax(std::vector<Operator>& all) {
  const auto tensor = [](Parameter parameter, double fill = 1) {
    return filled(shaped(std::move(parameter), {2, 1, 3, 4}), fill);
  };
  const Parameter mask = typed(filled(shaped(in("mask", 0, 1), {2, 1, 3, 4}), 0), ACL_BOOL);
  const Parameter scale{"scale", 0.5}, triangle = flag("fixedTriuMask");
  const auto samples = [] {
    return std::vector<Sample>{
        {{{"scale", 0.5}}},
        {{{"mask", Shape{1, 1, 1, 5}}, {"scale", -1.5}}},
        {{{"scale", 2.0}, {"fixedTriuMask", 1.0}}},
        {{{"x", Shape{kN, 3, 4, 1}}, {"yGrad", Shape{kN, 3, 4, 1}}, {"mask", Shape{kN, 3, 4, 1}}}}};
  };
  const auto domain = [&](const char* scores) {
    return Domain{.everywhere = kFloats,
                  .max_rank = 4,
                  .grows = false,
                  .base = scores,
                  .base_shape = {kN, 3, 4, 5},
                  .arrange = arrange_masked,
                  .samples = samples(),
                  .value_samples = {{{{scores, Shape{2, 3, 30, 33}}, {"scale", 0.25}}},
                                    {{{scores, Shape{1, 1, 9, 5000}}, {"scale", 0.25}}}}};
  };
  const auto errors = [](const char* scores) {
    return std::vector<ErrorInput>{
        refused("mask", "of other columns", TensorSpec{.shape = {2, 1, 3, 3}, .dtype = ACL_BOOL},
                "[2, 1, 3, 3]"),
        refused("mask", "of rank 3", TensorSpec{.shape = {1, 3, 4}, .dtype = ACL_BOOL}, "rank 4"),
        refused(scores, "of rank 3", of_shape({2, 3, 4}), "rank 4")};
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnScaledMaskedSoftmax, tensor(in("x"), 3), mask, scale, triangle,
                           tensor(out("y"))),
      .domain = domain("x"),
      .results = {.reference = masked_softmax,
                  .bound = {.of_float = 0.501, .of_16_bits = 0.501, .of_double = 16},
                  .nan_goes_through = false},
      .error_inputs = errors("x"),
      .words = {"softmax of scale·x along the last dimension, of −10000 where mask is true",
                "沿末维对 scale·x 求 softmax，mask 为真处取 −10000",
                "scaled_masked_softmax(x, mask, scale, fixed_triu_mask)"},
  });
  all.push_back({
      .call = ACLGRAD_CALL(aclnnScaledMaskedSoftmaxBackward, tensor(in("yGrad")),
                           tensor(in("y", 0, 1)), mask, scale, triangle, tensor(out("xGrad"))),
      .domain = domain("yGrad"),
      .results = {.reference = masked_softmax_backward<false>,
                  .bound = {.of_float = 0.51, .of_16_bits = 0.51, .of_double = 4, .inner = 0.5},
                  .magnitude = masked_softmax_backward<true>,
                  .nan_goes_through = false},
      .gradient =
          Gradient{.of = "aclnnScaledMaskedSoftmax",
                   .inputs =
                       [](const Arguments&, const Arrays& x, const Arrays& y, const Array& g) {
                         return Arrays{g, y[0], x[1]};
                       },
                   // One share is 1 whatever x is.
                   .is_zero = [](const Arguments& forward,
                                 std::string_view) { return forward.shape("x").back() == 1; }},
      .error_inputs = errors("yGrad"),
      .words = {"scale·y·(g − Σ g·y) along the last dimension, 0 where mask is true",
                "沿末维的 scale·y·(g − Σ g·y)，mask 为真处为 0", "", "scaled_masked_softmax"},
  });
}

// ---- Deep norm ----------------------------------------------------------------------------------

SumOfRows deep_sum(const Arguments& a, const Array& x, const Array& gx) {
  return SumOfRows({{a.number("alphaValue"), x}, {1, gx}});
}

// Inputs: x, gx, beta, gamma. Results: mean, rstd, y.
template <bool kMagnitude>
Arrays deep_norm(const Arguments& a, const Arrays& in) {
  const NormalizedRows rows = normalized_rows<kMagnitude>(
      deep_sum(a, in[0], in[1]), in[3], &in[2], a.number("epsilonValue"), /*centered=*/true);
  const Shape& numbers = a.shape("meanOut");
  return {{numbers, rows.mean}, {numbers, rows.rstd}, rows.y};
}

// Inputs: dy, x, gx, gamma, mean, rstd. Results: dx, dgx, dbeta, dgamma.
template <bool kMagnitude>
Arrays deep_norm_grad(const Arguments& a, const Arrays& in) {
  const Arrays of_sum = gradients_of_rows<kMagnitude>(in[0], deep_sum(a, in[1], in[2]),
                                                      in[4].values, in[5].values, in[3]);
  Array dx = of_sum[0];
  for (Number& each : dx.values) each *= dense::term<kMagnitude>(a.number("alphaValue"));
  return {dx, of_sum[0], of_sum[2], of_sum[1]};
}

void add_deep_norm(std::vector<Operator>& all) {
  const auto tensor = [](Parameter parameter, Shape shape, double fill = 1) {
    return filled(shaped(std::move(parameter), std::move(shape)), fill);
  };
  const Sample plain{{{"alphaValue", 0.75}, {"epsilonValue", 1e-3}}};
  Sample two_dimensions = plain;
  two_dimensions.settings.emplace_back("gamma", Shape{3, 5});
  const Domain domain{.everywhere = kFloats,
                      .base = "x",
                      .base_shape = {kN, 3, 5},
                      .arrange = arrange_weighted_rows,
                      .samples = {plain, two_dimensions},
                      .value_samples = with_long_rows("x", plain)};
  const Parameter alpha{"alphaValue", 0.5};
  const ErrorInput other_rows = refused("gamma", "of other rows", of_shape({2}), "[2, 3]");
  all.push_back({
      .call = ACLGRAD_CALL(aclnnDeepNorm, tensor(in("x"), {2, 3}, 3), tensor(in("gx"), {2, 3}),
                           tensor(in("beta"), {3}), tensor(in("gamma"), {3}), alpha,
                           {"epsilonValue", 0.25}, typed(tensor(out("meanOut"), {2, 1}), ACL_FLOAT),
                           typed(tensor(out("rstdOut"), {2, 1}), ACL_FLOAT),
                           tensor(out("yOut"), {2, 3})),
      .domain = domain,
      .results = {.reference = deep_norm<false>,
                  .bound = {.of_float = 0.501, .of_16_bits = 0.501, .of_double = 8},
                  .magnitude = deep_norm<true>},
      .error_inputs = {other_rows},
      .words = {"layer_norm(alpha·x + gx)", "layer_norm(alpha·x + gx)",
                "deep_norm(x, gx, beta, gamma, alpha, eps)"},
  });
  all.push_back({
      .call = ACLGRAD_CALL(aclnnDeepNormGrad, tensor(in("dy"), {2, 3}), tensor(in("x"), {2, 3}, 3),
                           tensor(in("gx"), {2, 3}), tensor(in("gamma"), {3}),
                           typed(tensor(in("mean", -1, 1), {2, 1}), ACL_FLOAT),
                           typed(tensor(in("rstd", 0.5L, 2), {2, 1}, 0.5), ACL_FLOAT), alpha,
                           tensor(out("dxOut"), {2, 3}), tensor(out("dgxOut"), {2, 3}),
                           typed(tensor(out("dbetaOut"), {3}), ACL_FLOAT),
                           typed(tensor(out("dgammaOut"), {3}), ACL_FLOAT)),
      .domain = domain,
      .results = {.reference = deep_norm_grad<false>,
                  .bound = {.of_float = 0.51, .of_16_bits = 0.51, .of_double = 8, .inner = 0.5},
                  .magnitude = deep_norm_grad<true>},
      .gradient =
          Gradient{.of = "aclnnDeepNorm",
                   .inputs = [](const Arguments&, const Arrays& x, const Arrays& y,
                                const Array& g) { return Arrays{g, x[0], x[1], x[3], y[0], y[1]}; },
                   .count = 4},
      .error_inputs = {other_rows},
      .words = {"the gradients of x, gx, beta and gamma", "x、gx、beta 与 gamma 的梯度", "",
                "deep_norm"},
  });
}

}  // namespace

void add_fused_rows(std::vector<Operator>& all) {
  add_masked_softmax(all);
  add_deep_norm(all);
}

}  // namespace aclgrad::contract
