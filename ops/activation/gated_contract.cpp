// SPDX-License-Identifier: Apache-2.0
// Activations of two tensors, or of two halves of one: Glu, SwiGlu, Prelu, with their backwards.
#include <stdexcept>

#include "aclgrad_contract/formulas.h"
#include "aclnnop/aclnn_glu.h"
#include "aclnnop/aclnn_glu_backward.h"
#include "aclnnop/aclnn_prelu.h"
#include "aclnnop/aclnn_prelu_backward.h"
#include "aclnnop/aclnn_swi_glu.h"
#include "aclnnop/aclnn_swi_glu_grad.h"
#include "ops/contract/describe.h"

namespace aclgrad::contract {
namespace {

// ---- Halves -------------------------------------------------------------------------------------

// The names of the tensors that one of the two calls its own.
struct Gate {
  std::string self, gradient, result;
  Dual (*function)(const Dual& a, const Dual& b);
};

void halve(const Gate& gate, Arguments& a) {
  Shape half = a.shape(gate.self);
  const size_t axis = axis_of(a, half);
  if (axis >= half.size() || half[axis] % 2 != 0) {
    throw std::invalid_argument("the size along dim must be even");
  }
  half[axis] /= 2;
  a.reshape({gate.gradient, "out"}, half);
  a.reshape({gate.result}, a.shape(gate.self));
}

// visit(place in the half, place of a, place of b)
template <class Visit>
void for_each_pair(const Shape& shape, size_t axis, Visit visit) {
  int64_t inner = 1;
  for (size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
  const int64_t half = shape[axis] / 2 * inner;
  for (int64_t i = 0; i < count_of(shape) / 2; ++i) {
    const auto first = static_cast<size_t>(i / half * 2 * half + i % half);
    visit(static_cast<size_t>(i), first, first + static_cast<size_t>(half));
  }
}

void add_gate(std::vector<Operator>& all, const Gate& gate, Signature forward, Signature backward,
              Words of_forward, Words of_backward) {
  const Reference function = [gate](const Arguments& a, const Arrays& in) {
    Array result{a.shape("out"), std::vector<Number>(in[0].values.size() / 2)};
    for_each_pair(in[0].shape, axis_of(a, in[0].shape), [&](size_t to, size_t i, size_t j) {
      const Dual value = gate.function(in[0].values[i], in[0].values[j]);
      result.values[to] = value.value;
    });
    return Arrays{result};
  };
  const Reference slope = [gate](const Arguments& a, const Arrays& in) {
    Array result{in[1].shape, std::vector<Number>(in[1].values.size())};
    for_each_pair(in[1].shape, axis_of(a, in[1].shape), [&](size_t at, size_t i, size_t j) {
      const Number x = in[1].values[i], y = in[1].values[j];
      const Dual by_a = gate.function({x, 1}, y), by_b = gate.function(x, {y, 1});
      result.values[i] = in[0].values[at] * by_a.slope;
      result.values[j] = in[0].values[at] * by_b.slope;
    });
    return Arrays{result};
  };
  // Near the root of silu' its two terms cancel.
  const Reference magnitude = [gate, slope](const Arguments& a, const Arrays& in) {
    Arrays sizes = slope(a, in);
    for_each_pair(in[1].shape, axis_of(a, in[1].shape), [&](size_t at, size_t i, size_t j) {
      if (gate.self != "x") return;
      const Number x = in[1].values[i], s = formulas::sigmoid(x);
      sizes[0].values[i] = in[0].values[at] * in[1].values[j] * s * (1 + abs(x) * (1 - s));
    });
    return sizes;
  };
  const Domain domain{.everywhere = kFloatsAndDouble,
                      .base = gate.self,
                      .base_shape = {kN, 4, 2, 6},
                      .arrange = [gate](Arguments& a) { halve(gate, a); },
                      .samples = samples_of("dim", {-1, 0, 1, 2})};
  const Parameter self = in(gate.self), dim = integer("dim", -1);
  const auto bad_dims = [&](std::vector<ErrorInput> more) {
    more.push_back(bad_dim(2));
    more.push_back(bad_dim(-3));
    more.push_back(refused(gate.self, "of rank 0", of_shape({}), "0"));
    more.push_back(refused(gate.self, "of an odd size", of_shape({2, 3}), "[2, 3]"));
    return more;
  };
  forward.parameters = {self, dim, shaped(out("out"), {2, 2})};
  backward.parameters = {shaped(in(gate.gradient), {2, 2}), self, dim, out(gate.result)};
  const Operator first{
      .call = std::move(forward),
      .domain = domain,
      .results = {.reference = function, .bound = bounded(2)},
      .error_inputs = bad_dims({refused("out", "of another shape", of_shape({2, 4}), "[2, 4]")}),
      .words = std::move(of_forward)};
  const Operator second{
      .call = std::move(backward),
      .domain = domain,
      // In double both logistic functions have up to 3 ulp, and three products follow.
      .results = {.reference = slope,
                  .bound = {.of_float = 3, .of_16_bits = bounded(3).of_16_bits, .of_double = 8},
                  .magnitude = magnitude},
      .gradient = from_input(first.name()),
      .error_inputs =
          bad_dims({refused(gate.gradient, "of another shape", of_shape({2, 4}), "[2, 4]"),
                    refused(gate.result, "of another shape", of_shape({2, 2}), "[2, 2]")}),
      .words = std::move(of_backward)};
  all.insert(all.end(), {first, second});
}

// ---- Prelu --------------------------------------------------------------------------------------

// The index of dimension 1 that an element of self belongs to; 0 where one weight serves all.
size_t channel_of(const Shape& self, int64_t weights, size_t element) {
  if (weights == 1) return 0;
  int64_t inner = 1;
  for (size_t i = 2; i < self.size(); ++i) inner *= self[i];
  return static_cast<size_t>(static_cast<int64_t>(element) / inner % self[1]);
}

// "one" weight, or one for each index of dimension 1.
void arrange_prelu(Arguments& a) {
  const Shape& self = a.shape("self");
  if (!a.is_set("weight")) {
    a.reshape({"weight", "gradWeight"}, {self.size() < 2 ? 1 : self[1]});
  } else {
    a.reshape({"gradWeight"}, a.shape("weight"));
  }
  a.reshape({"gradOutput", "gradInput", "out"}, self);
}

Arrays prelu(const Arguments&, const Arrays& in) {
  Array result = in[0];
  const int64_t weights = count_of(in[1].shape);
  for (size_t i = 0; i < result.values.size(); ++i) {
    Number& x = result.values[i];
    if (!(x > 0)) x *= in[1].values[channel_of(in[0].shape, weights, i)];
  }
  return {result};
}

Arrays prelu_backward(const Arguments& a, const Arrays& in) {
  Array by_x = in[0], by_weight{a.shape("gradWeight"), in[2].values};
  by_weight.values.assign(by_weight.values.size(), 0);
  const int64_t weights = count_of(in[2].shape);
  for (size_t i = 0; i < by_x.values.size(); ++i) {
    const Number x = in[1].values[i], g = in[0].values[i];
    const size_t channel = channel_of(in[1].shape, weights, i);
    if (x > 0) continue;
    by_x.values[i] = g * in[2].values[channel];
    by_weight.values[channel] += g * x;
  }
  return {by_x, by_weight};
}

// The sums of the terms' sizes.
Arrays prelu_magnitude(const Arguments& a, const Arrays& in) {
  Arrays sizes = in;
  for (Array& each : sizes) {
    for (Number& value : each.values) value = std::abs(value);
  }
  for (Number& x : sizes[1].values) x = -x;
  Arrays result = prelu_backward(a, sizes);
  const Arrays exact = prelu_backward(a, in);
  for (Number& value : result[1].values) value = std::abs(value);
  for (size_t i = 0; i < exact[0].values.size(); ++i) {
    result[0].values[i] = std::abs(exact[0].values[i]);
  }
  return result;
}

void add_prelu(std::vector<Operator>& all) {
  const Parameter weight = shaped(in("weight"), {4});
  const Domain domain{
      .everywhere = kFloatsAndDouble,
      .base = "self",
      .base_shape = {kN, 3, 4},
      .arrange = arrange_prelu,
      .samples = {
          {}, {{{"weight", Shape{1}}}}, {{{"weight", Shape{}}}}, {{{"weight", Shape{1, 3, 1}}}}}};
  const auto bad_weights = [](std::vector<ErrorInput> more) {
    more.push_back(refused("weight", "of 3 elements", of_shape({3}), "[3]"));
    more.push_back(refused("weight", "along another dimension", of_shape({4, 1}), "[4, 1]"));
    more.push_back(refused("weight", "of rank 3", of_shape({1, 4, 1}), "[1, 4, 1]"));
    return more;
  };
  const Operator forward{
      .call = ACLGRAD_CALL(aclnnPrelu, in("self"), weight, out("out")),
      .domain = domain,
      .results = {.reference = prelu, .bound = bounded(1)},
      .error_inputs = bad_weights({}),
      .words = {
          "x for x > 0, weight·x otherwise; a weight for all or for each index of dimension 1",
          "x > 0 时为 x，否则为 weight·x；weight 为一个数，或第 1 维每个下标一个数",
          "prelu(x, weight)"}};
  const Operator backward{
      .call = ACLGRAD_CALL(aclnnPreluBackward, in("gradOutput"), in("self"), weight,
                           out("gradInput"), shaped(out("gradWeight"), {4})),
      .domain = domain,
      .results = {.reference = prelu_backward, .bound = bounded(1), .magnitude = prelu_magnitude},
      .gradient = Gradient{.of = "aclnnPrelu", .corners = {0}, .side = Side::kLeft, .count = 2},
      .error_inputs =
          bad_weights({refused("gradWeight", "of 1 element", of_shape({1}), "[1]"),
                       refused("gradWeight", "of another rank", of_shape({1, 1, 4}), "[1, 1, 4]")}),
      .words = {"g for x > 0, weight·g otherwise; and the sums of g·x for x ≤ 0",
                "x > 0 时为 g，否则为 weight·g；以及 x ≤ 0 处 g·x 之和",
                "prelu_backward(g, x, weight)", "prelu"}};
  all.insert(all.end(), {forward, backward});
}

}  // namespace

void add_gated_activations(std::vector<Operator>& all) {
  add_gate(all,
           {"self", "gradOutput", "gradInput",
            [](const Dual& a, const Dual& b) { return a * formulas::sigmoid(b); }},
           ACLGRAD_CALL(aclnnGlu), ACLGRAD_CALL(aclnnGluBackward),
           {"self = [A, B] along dim; A·σ(B)", "沿 dim 把 self 分为 [A, B]；结果为 A·σ(B)",
            "glu(x, dim)"},
           {"[g·σ(B), g·A·σ(B)·(1 − σ(B))]", "[g·σ(B), g·A·σ(B)·(1 − σ(B))]",
            "glu_backward(g, x, dim)", "glu"});
  add_gate(all,
           {"x", "yGrad", "xGrad",
            [](const Dual& a, const Dual& b) { return a * formulas::sigmoid(a) * b; }},
           ACLGRAD_CALL(aclnnSwiGlu), ACLGRAD_CALL(aclnnSwiGluGrad),
           {"x = [A, B] along dim; A·σ(A)·B", "沿 dim 把 x 分为 [A, B]；结果为 A·σ(A)·B",
            "swiglu(x, dim)"},
           {"[g·B·silu′(A), g·silu(A)]", "[g·B·silu′(A), g·silu(A)]", "swiglu_backward(g, x, dim)",
            "swiglu"});
  add_prelu(all);
}

}  // namespace aclgrad::contract
