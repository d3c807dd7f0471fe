// SPDX-License-Identifier: Apache-2.0
// The rules that come with the library, one function a family. They are listed in registry.cpp: a
// rule that registered itself would be dropped by the linker with the rest of its object file.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <type_traits>
#include <typeindex>
#include <unordered_map>

#include "aclgrad/ops/activation.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/rule.h"
#include "aclgrad/tensor/to_float.h"

namespace aclgrad::detail {

// What a rule returns: the gradients of all inputs, or of the first ones, the others having none.
using Call = const RuleCall&;
inline InputGradients of_all_inputs(InputGradients gradients, Call) { return gradients; }
InputGradients of_all_inputs(std::span<const Value> first, Call call);
inline InputGradients of_all_inputs(const Value& first, Call call) {
  return of_all_inputs(std::span(&first, 1), call);
}

class RuleTable {
 public:
  // Rules are functions without state: as pointers to functions all are one type of std::function,
  // and a program that trains, which holds them all, is smaller.
  template <class OpType, class TypedRule>
  void add(TypedRule) {
    static_assert(std::is_empty_v<TypedRule>);
    set(typeid(OpType), [](const Op& op, Call call) {
      return of_all_inputs(TypedRule()(static_cast<const OpType&>(op), call), call);
    });
  }

  // Of several nodes: those compute in float32 where the node's values have 16 bits.
  template <class OpType, class TypedRule>
  void add_composed(TypedRule) {
    static_assert(std::is_empty_v<TypedRule>);
    set(typeid(OpType), [](const Op& op, Call given) {
      const RuleCall call = given.in_float();
      return of_all_inputs(TypedRule()(static_cast<const OpType&>(op), call), call);
    });
  }

  // A rule that has a name.
  template <class OpType, InputGradients (*kRule)(const OpType& op, Call call)>
  void add() {
    set(typeid(OpType),
        [](const Op& op, Call call) { return kRule(static_cast<const OpType&>(op), call); });
  }

  void set(std::type_index op, InputGradients (*rule)(const Op& op, Call call));
  Rule find(std::type_index op) const;
  Rule exchange(std::type_index op, Rule rule);

 private:
  std::unordered_map<std::type_index, Rule> rules_;
};

// A rule for a function of one input: its gradient from g, x and y.
template <class OpType, class Slope>
void add_unary(RuleTable& table, Slope) {
  table.add<OpType>(
      [](auto&, Call call) { return Slope()(call.gradient(), call.input(), call.output()); });
}

// The same of several nodes.
template <class OpType, class Slope>
void add_composed_unary(RuleTable& table, Slope) {
  table.add_composed<OpType>(
      [](auto&, Call call) { return Slope()(call.gradient(), call.input(), call.output()); });
}

// The same as add_unary() from g, x and the Op with its attributes.
template <class OpType, class Slope>
void add_slope(RuleTable& table, Slope) {
  table.add<OpType>([](auto& op, Call call) { return Slope()(call.gradient(), call.input(), op); });
}

/// The same operator of what arrived, in the place of its first input.
Value again(Call call);

// The slope is constant on each side of a corner.
constexpr auto kStraight = [](const Value&, const Value&, auto&) { return Value(); };

// A rule for a backward B(g, s) = g d(s): B of what arrived, and curvature(v, s, op) = v d'(s).
template <class OpType, class Curvature>
void add_slope_of_slope(RuleTable& table, Curvature) {
  constexpr bool kIsStraight = std::is_same_v<const Curvature, decltype(kStraight)>;
  const auto rule = [](auto& op, Call call) {
    const Value &c = call.gradient(), &s = call.input(1);
    InputGradients gradients(2);
    if (call.needs(0)) gradients[0] = again(call);
    if (!kIsStraight && call.needs(1)) gradients[1] = Curvature()(mul(call.input(0), c), s, op);
    return gradients;
  };
  if constexpr (kIsStraight) {
    table.add<OpType>(rule);
  } else {
    table.add_composed<OpType>(rule);
  }
}

void add_activation_rules(RuleTable& table);
void add_arithmetic_rules(RuleTable& table);
void add_attention_rules(RuleTable& table);
void add_convolution_rules(RuleTable& table);
void add_function_rules(RuleTable& table);
void add_index_rules(RuleTable& table);
void add_linalg_rules(RuleTable& table);
void add_loss_rules(RuleTable& table);
void add_matmul_rules(RuleTable& table);
void add_normalization_rules(RuleTable& table);
void add_optimizer_rules(RuleTable& table);
void add_ordering_rules(RuleTable& table);
void add_pooling_rules(RuleTable& table);
void add_random_rules(RuleTable& table);
void add_recurrent_rules(RuleTable& table);
void add_reduction_rules(RuleTable& table);
void add_resampling_rules(RuleTable& table);
void add_rounding_rules(RuleTable& table);
void add_shape_rules(RuleTable& table);

// Of the families' backward operators: gradients of gradients.
void add_formula_gradients(RuleTable& table);
void add_activation_second_order_rules(RuleTable& table);
void add_loss_second_order_rules(RuleTable& table);
void add_normalization_second_order_rules(RuleTable& table);

/// A gradient of zeros for a value, without work: what is constant almost everywhere has one.
Value zeros_for(const Value& value);
/// Zeros of another shape in the value's dtype.
Value zeros_like(const Value& value, const Shape& shape);

/// g where the condition holds, 0 elsewhere.
Value held(const Value& condition, const Value& g);

/// Refuses a use of an output that has no gradient.
inline void refuse_use(Call call, std::size_t output, std::string_view what) {
  if (call.has_gradient(output)) call.no_gradient_for(what);
}

/// Refuses a gradient of the backward of a Forward unless its input `kept` is what a node of
/// Forward keeps of the inputs that both begin with, and so follows from these.
template <class Forward>
void require_kept_of_inputs(const RuleCall& call, std::size_t kept, const char* otherwise) {
  const Node& maker = call.input(kept).node();
  const bool follows =
      dynamic_cast<const Forward*>(maker.op.get()) != nullptr &&
      std::equal(maker.inputs.begin(), maker.inputs.end(), call.node().inputs.begin());
  if (!follows) call.no_gradient_for(otherwise);
}

/// Adds to a sum that is empty at first.
inline void add_to(Value& sum, const Value& term) { sum = sum ? add(sum, term) : term; }

/// x with so many zeros before and after a dimension; negative numbers cut.
Value pad_along(const Value& x, std::int64_t dim, std::int64_t begin, std::int64_t end);

/// The gradient of gather(x, dim, index) by x: g's elements added up where they came from. The
/// index, of int64, counts from the front.
Value gather_backward(const Value& g, const Value& x, std::int64_t dim, const Value& index);

/// Whether a result was rounded to 16 bits: an exponential or a power of it, or a product over
/// many, needs the digits, and the range, that it had before.
bool is_rounded(const RuleCall& given, std::size_t output = 0);

/// The gradient of the elements that are the result, an extremum over the axes, in equal parts.
Value extremum_gradient(const RuleCall& call, const std::vector<std::int64_t>& axes,
                        std::size_t output = 0);
/// Of one over all axes, which a NaN is unless it is skipped.
Value extremum_gradient(const RuleCall& call, bool skips_nan = false);

/// What arrived at output 0 goes back to the elements at output 1's places along dim, as through a
/// gather.
Value put_back(const RuleCall& call, std::int64_t dim, bool keeps_axis = true);

/// With the last two axes exchanged.
Value transposed(const Value& matrices);

inline Value scaled(const Value& x, double by) { return by == 1 ? x : mul(x, by); }

/// The gradient of input i, whose p-norm over the axes is output i.
Value gradient_of_norm(double p, const std::vector<std::int64_t>& axes, const RuleCall& call,
                       std::size_t i);

/// The slope of erf at 0.
constexpr double kTwoOverRootPi = 1.1283791670955125739;

/// An attribute as the operators take it: a float, for tensors of double, too.
inline double as_float(double attribute) { return static_cast<double>(to_float(attribute)); }

/// v silu''(x).
Value silu_curvature(const Value& v, const Value& x);

/// What arrived at the gelu that GEGLU keeps, taken back to its input.
Value geglu_kept_gradient(const GegluOp& op, const RuleCall& call);

}  // namespace aclgrad::detail
