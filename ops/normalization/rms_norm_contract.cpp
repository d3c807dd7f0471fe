// SPDX-License-Identifier: Apache-2.0
// Root-mean-square normalization.
#include <cmath>

#include "aclnnop/aclnn_rms_norm.h"
#include "aclnnop/aclnn_rms_norm_grad.h"
#include "ops/contract/describe.h"
#include "ops/normalization/rows_contract.h"

namespace aclgrad::contract {
namespace {

// Inputs: x, gamma. Results: y, rstd.
Arrays rms_norm(const Arguments& a, const Arrays& in) {
  const size_t n = in[1].values.size();
  Array y = in[0];
  Array rstds{a.shape("rstdOut"), {}};
  for (size_t first = 0; first < y.values.size(); first += n) {
    Number* const row = y.values.data() + first;
    Number squares = 0;
    for (size_t i = 0; i < n; ++i) squares += row[i] * row[i] / static_cast<Number>(n);
    const Number rstd = 1 / std::sqrt(squares + a.number("epsilon"));
    for (size_t i = 0; i < n; ++i) row[i] *= rstd * in[1].values[i];
    rstds.values.push_back(rstd);
  }
  return {y, rstds};
}

// Inputs: dy, x, rstd, gamma. Results: dx, dgamma; of the magnitudes if so wished.
template <bool kMagnitude>
Arrays rms_norm_grad(const Arguments& a, const Arrays& in) {
  const auto term = [](Number x) { return kMagnitude ? std::abs(x) : x; };
  const size_t n = in[3].values.size();
  Array dx = in[0];
  Array dgamma{a.shape("dgammaOut"), std::vector<Number>(n)};
  for (size_t row = 0; row < in[2].values.size(); ++row) {
    const Number rstd = in[2].values[row];
    const auto at = [&](size_t k, size_t i) { return in[k].values[row * n + i]; };
    Number along = 0;
    for (size_t i = 0; i < n; ++i) {
      const Number product = at(0, i) * at(1, i) * rstd;
      dgamma.values[i] += term(product);
      along += term(product * in[3].values[i]) / static_cast<Number>(n);
    }
    for (size_t i = 0; i < n; ++i) {
      const Number rest = term(at(1, i) * rstd * along);
      dx.values[row * n + i] =
          rstd * (term(at(0, i) * in[3].values[i]) + (kMagnitude ? rest : -rest));
    }
  }
  return {dx, dgamma};
}

}  // namespace

void add_rms_norm(std::vector<Operator>& all) {
  const auto tensor = [](Parameter parameter, Shape shape, double fill = 1) {
    return filled(shaped(std::move(parameter), std::move(shape)), fill);
  };
  const std::pair<std::string, Setting> epsilon{"epsilon", 1e-3};
  const Sample two_dimensions{{{"gamma", Shape{3, 5}}, epsilon}};
  const Sample in_float{{{"gamma", ACL_FLOAT}, epsilon}};
  const std::vector<Sample> long_rows = with_long_rows("x", {{epsilon}});
  const Operator forward{
      .call = ACLGRAD_CALL(aclnnRmsNorm, tensor(in("x"), {2, 3}, 3), tensor(in("gamma"), {3}),
                           {"epsilon", 0.25}, as_const(tensor(out("yOut"), {2, 3})),
                           as_const(typed(tensor(out("rstdOut"), {2, 1}), ACL_FLOAT))),
      .domain = {.everywhere = kFloats,
                 .wrong_shape = 561002,
                 .base_shape = {kN, 3, 5},
                 .arrange = arrange_weighted_rows,
                 .samples = {{{epsilon}}, two_dimensions, kNumbersAlone, in_float},
                 .value_samples = long_rows},
      // 16 bits are those of FLOAT, rounded.
      .results = {.reference = rms_norm, .bound = {.of_float = 0.501, .of_16_bits = 0.5001}},
      .words = {"x·rstd·gamma over the last dimensions, rstd = 1/√(mean of x² + epsilon)",
                "对末尾几维求 x·rstd·gamma，rstd = 1/√(x² 的均值 + epsilon)",
                "rms_norm(x, gamma, eps)"}};

  const auto given = [](const Arguments&, const Arrays& x, const Arrays& y, const Array& g) {
    return Arrays{g, x[0], y[1], x[1]};
  };
  std::vector<Sample> samples = forward.domain.samples;
  samples.back().is_gradient = false;  // gamma's dtype tells the forward's rows
  const Operator backward{
      .call = ACLGRAD_CALL(aclnnRmsNormGrad, tensor(in("dy"), {2, 3}), tensor(in("x"), {2, 3}, 3),
                           typed(tensor(in("rstd", 0.5L, 2), {2, 1}, 0.5), ACL_FLOAT),
                           tensor(in("gamma"), {3}), as_const(tensor(out("dxOut"), {2, 3})),
                           as_const(typed(tensor(out("dgammaOut"), {3}), ACL_FLOAT))),
      .domain = {.everywhere = kFloats,
                 .wrong_shape = forward.domain.wrong_shape,
                 .base = "x",
                 .base_shape = forward.domain.base_shape,
                 .arrange = arrange_weighted_rows,
                 .samples = samples,
                 .value_samples = long_rows},
      .results = {.reference = rms_norm_grad<false>,
                  .bound = {.of_float = 0.51, .of_16_bits = 0.51, .inner = 0.5},
                  .magnitude = rms_norm_grad<true>},
      .gradient = Gradient{.of = "aclnnRmsNorm", .inputs = given, .count = 2},
      .words = {"the gradients of x and gamma", "x 与 gamma 的梯度",
                "rms_norm_backward(g, x, rstd, gamma)", "rms_norm"}};
  all.insert(all.end(), {forward, backward});
}

}  // namespace aclgrad::contract
