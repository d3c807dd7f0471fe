// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding.
#include <stdexcept>
#include <tuple>

#include "aclnnop/aclnn_rotary_position_embedding.h"
#include "aclnnop/aclnn_rotary_position_embedding_grad.h"
#include "ops/contract/dense.h"
#include "ops/contract/describe.h"

namespace aclgrad::contract {
namespace {

// The other column of a point, and whether this is the first of the two.
struct Partner {
  size_t at;
  bool is_first;
};
Partner partner_of(const Arguments& a, const Shape& shape, size_t i) {
  const auto size = static_cast<size_t>(shape.back());
  const size_t column = i % size;
  if (a.number("mode") == 1) return {i % 2 == 0 ? i + 1 : i - 1, i % 2 == 0};
  const bool is_first = column < size / 2;
  return {is_first ? i + size / 2 : i - size / 2, is_first};
}

// Cos and sin are those of the second dimension, unless a sample says otherwise.
void arrange_rotary(Arguments& a) {
  const Shape shape = a.shape(a.has("x") ? "x" : "dy");
  if ((shape.size() != 3 && shape.size() != 4) || shape.back() % 2 != 0 || count_of(shape) == 0) {
    throw std::invalid_argument("x has rank 3 or 4, an even last size and elements");
  }
  if (!a.is_set("cos")) {
    Shape table(shape.size(), 1);
    table[1] = shape[1];
    table.back() = shape.back();
    a.shape("cos") = table;
  }
  a.reshape({"sin", "dcosOptional", "dsinOptional"}, a.shape("cos"));
  a.reshape({"yOut", "dxOut", "xOptional"}, shape);
  if (!a.has("dxOut") || !a.is_set("xOptional")) return;
  for (const char* each : {"dcosOptional", "dsinOptional"}) a.tensor(each).optional = false;
}

// Of the magnitudes of terms if so wished; back for the gradient.
template <bool kMagnitude, bool kBack>
Array turned(const Arguments& a, const Array& x, const Array& cos, const Array& sin) {
  Array y = x;
  for (size_t i = 0; i < y.values.size(); ++i) {
    const Partner partner = partner_of(a, x.shape, i);
    const auto at = [&](const Array& table, size_t k) {
      return table.values[dense::source(table.shape, x.shape, k)];
    };
    const Number other = x.values[partner.at] * at(sin, kBack ? partner.at : i);
    const bool is_minus = partner.is_first != kBack;
    y.values[i] = dense::term<kMagnitude>(x.values[i] * at(cos, i)) +
                  dense::term<kMagnitude>(is_minus ? -other : other);
  }
  return y;
}

template <bool kMagnitude>
Arrays rotary(const Arguments& a, const Arrays& in) {
  return {turned<kMagnitude, false>(a, in[0], in[1], in[2])};
}

// Inputs: dy, cos, sin, and x if it is given.
template <bool kMagnitude>
Arrays rotary_grad(const Arguments& a, const Arrays& in) {
  Arrays results = {turned<kMagnitude, true>(a, in[0], in[1], in[2])};
  if (in.size() < 4) return results;
  Array cos = dense::full(in[1].shape), sin = cos;
  for (size_t i = 0; i < in[0].values.size(); ++i) {
    const Partner partner = partner_of(a, in[0].shape, i);
    const size_t to = dense::source(cos.shape, in[0].shape, i);
    const Number other = in[3].values[partner.at];
    cos.values[to] += dense::term<kMagnitude>(in[0].values[i] * in[3].values[i]);
    sin.values[to] +=
        dense::term<kMagnitude>(in[0].values[i] * (partner.is_first ? -other : other));
  }
  results.insert(results.end(), {cos, sin});
  return results;
}

}  // namespace

void add_rotary(std::vector<Operator>& all) {
  const auto tensor = [](const char* name, Shape shape, double fill = 1) {
    return filled(shaped(in(name), std::move(shape)), fill);
  };
  const auto result = [](const char* name, Shape shape) {
    return shaped(out(name), std::move(shape));
  };
  const Shape shape{2, 3, 1, 4}, table{1, 3, 1, 4};
  const auto sample = [](const char* x, Shape shape_of_x, double mode) {
    return Sample{{{x, std::move(shape_of_x)}, {"mode", mode}}};
  };
  const std::vector<ErrorInput> errors = {
      wrong_number("mode", 2, "[0, 1]"),
      refused("cos", "of other places", of_shape({1, 2, 1, 4}), "[1, 2, 1, 4]"),
      refused("cos", "of a broadcast column", of_shape({1, 3, 1, 1}), "[1, 3, 1, 1]")};
  const Operator forward{
      .call =
          ACLGRAD_CALL(aclnnRotaryPositionEmbedding, tensor("x", shape, 3), tensor("cos", table, 2),
                       tensor("sin", table), integer("mode", 0), result("yOut", shape)),
      .domain = {.everywhere = kFloatsAndDouble,
                 .max_rank = 4,
                 .grows = false,
                 .base_shape = {kN, 3, 2, 8},
                 .arrange = arrange_rotary,
                 .samples = {sample("x", {kN, 3, 2, 8}, 0),
                             sample("x", {kN, 3, 2, 8}, 1),
                             sample("x", {kN, 3, 6}, 0),
                             {{{"cos", Shape{kN, 1, 2, 8}}, {"mode", 1.0}}},
                             {{{"cos", Shape{1, 1, 1, 8}}}}},
                 .value_samples = {sample("x", {3, 70, 2, 66}, 0),
                                   sample("x", {2, 9, 3, 1024}, 1)}},
      .results = {.reference = rotary<false>,
                  .bound = {.of_float = 0.501, .of_16_bits = 0.5002, .of_double = 2},
                  .magnitude = rotary<true>},
      .error_inputs = errors + std::vector{refused("x", "of an odd size", of_shape({2, 3, 1, 3}),
                                                   "[2, 3, 1, 3]")},
      .words = {"x·cos + rot(x)·sin, rot of halves (mode 0) or of neighbours (1)",
                "x·cos + rot(x)·sin，rot 按两半（mode 0）或相邻两列（1）",
                "rotary_position_embedding(x, cos, sin, mode)"}};
  Domain domain = forward.domain;
  domain.base = "dy";
  domain.samples.clear();
  for (const auto& [shape_of_dy, table_of, mode] : {std::tuple{Shape{kN, 3, 2, 8}, Shape{}, 0.0},
                                                    {Shape{kN, 3, 2, 8}, Shape{}, 1.0},
                                                    {Shape{kN, 3, 6}, Shape{}, 0.0},
                                                    {Shape{kN, 3, 2, 8}, Shape{kN, 1, 2, 8}, 1.0},
                                                    {Shape{kN, 3, 2, 8}, Shape{1, 1, 1, 8}, 0.0}}) {
    domain.samples.push_back(
        {{{"x", shape_of_dy}, {"dy", shape_of_dy}, {"xOptional", Shape{}}, {"mode", mode}}});
    if (!table_of.empty()) domain.samples.back().settings.emplace_back("cos", table_of);
  }
  Sample alone{{{"dy", Shape{kN, 3, 4}}}};  // without the gradients of the table
  alone.is_gradient = false;
  domain.samples.push_back(alone);
  domain.value_samples = {{{{"dy", Shape{3, 70, 2, 66}}, {"xOptional", Shape{}}}},
                          {{{"dy", Shape{2, 9, 3, 1024}}, {"mode", 1.0}, {"xOptional", Shape{}}}}};
  const auto given = [](const Arguments& backward, const Arrays& x, const Arrays&, const Array& g) {
    Arrays inputs = {g, x[1], x[2]};
    if (backward.is_set("xOptional")) inputs.push_back(x[0]);
    return inputs;
  };
  const Operator backward{
      .call = ACLGRAD_CALL(aclnnRotaryPositionEmbeddingGrad, tensor("dy", shape, 3),
                           tensor("cos", table, 2), tensor("sin", table),
                           optional(tensor("xOptional", shape)), integer("mode", 0),
                           result("dxOut", shape), optional(result("dcosOptional", table)),
                           optional(result("dsinOptional", table))),
      .domain = domain,
      .results = {.reference = rotary_grad<false>,
                  .bound = {.of_float = 0.501, .of_16_bits = 0.5002, .of_double = 8, .inner = 0.5},
                  .magnitude = rotary_grad<true>},
      .gradient = Gradient{.of = "aclnnRotaryPositionEmbedding", .inputs = given, .count = 3},
      .error_inputs = errors,
      .words = {"dy turned back, and the gradients of cos and sin",
                "把 dy 转回去，以及 cos 与 sin 的梯度", "", "rotary_position_embedding"}};
  all.insert(all.end(), {forward, backward});
}

}  // namespace aclgrad::contract
