// SPDX-License-Identifier: Apache-2.0
// Gradient rules: how the gradient passes through one operator. A rule is found by the type of the
// node's Op and records nodes:
//
//   set_rule<SeluOp>([](const SeluOp&, const RuleCall& call) {
//     return InputGradients{selu_backward(call.gradient(), call.output())};
//   });
//
// A rule need not care for broadcasting, accumulation, or a gradient of another dtype than the
// input: the engine sums, adds and casts. Of a slice() it may return the gradient of the slice: the
// engine puts all that were cut from one value in their places at once.
#pragma once

#include <functional>
#include <string_view>
#include <typeindex>
#include <typeinfo>
#include <vector>

#include "aclgrad/graph.h"

namespace aclgrad {

/// What a rule is given of the node it differentiates.
class RuleCall {
 public:
  RuleCall(const Node& node, std::vector<Value> inputs, std::vector<Value> outputs,
           std::vector<Value> gradients, std::vector<bool> needs)
      : node_(node),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)),
        gradients_(std::move(gradients)),
        needs_(std::move(needs)) {}

  const Node& node() const { return node_; }
  const Value& input(std::size_t index = 0) const { return widened(inputs_.at(index)); }
  const Value& output(std::size_t index = 0) const { return widened(outputs_.at(index)); }

  /// The same call with all values of 16 bits as float32, for a rule of several nodes: what lies
  /// between these would overflow or round in 16 bits, where the gradient, which the engine rounds
  /// once, does not.
  RuleCall in_float() const;

  /// The gradient of an output. Throws ValueError, naming the node, when none arrived, which cannot
  /// be for an operator with one output.
  const Value& gradient(std::size_t output = 0) const;

  /// Whether a gradient arrived at an output.
  bool has_gradient(std::size_t output) const { return gradients_.at(output).valid(); }

  /// Whether the gradient of an input is wanted.
  bool needs(std::size_t input) const { return needs_.at(input); }

  /// Throws ValueError "there is no gradient for <what>", naming the node.
  [[noreturn]] void no_gradient_for(std::string_view what) const;

 private:
  const Value& widened(Value& value) const;

  const Node& node_;
  mutable std::vector<Value> inputs_;  // widened where they are asked for
  mutable std::vector<Value> outputs_;
  mutable std::vector<Value> gradients_;
  std::vector<bool> needs_;
  bool in_float_ = false;
};

/// The gradient of every input, in order; an empty Value where none is needed or there is none.
using InputGradients = std::vector<Value>;

/// A gradient rule: what backward() records for one node of a type of Op.
using Rule = std::function<InputGradients(const Op& op, const RuleCall& call)>;

/// The rule for a type of Op; an empty one when there is none. Safe from any thread, as are the
/// others.
Rule find_rule(std::type_index op);

/// Sets, replaces or (with an empty rule) removes the rule for a type of Op; returns the former
/// one.
Rule exchange_rule(std::type_index op, Rule rule);

/// Sets the rule for an operator, from a function of the operator's own type.
template <class OpType>
Rule set_rule(std::function<InputGradients(const OpType&, const RuleCall&)> rule) {
  return exchange_rule(typeid(OpType),
                       [typed = std::move(rule)](const Op& op, const RuleCall& call) {
                         return typed(static_cast<const OpType&>(op), call);
                       });
}

/// Replaces a rule as long as it lives: for tests.
template <class OpType>
class ScopedRule {
 public:
  explicit ScopedRule(std::function<InputGradients(const OpType&, const RuleCall&)> rule)
      : former_(set_rule<OpType>(std::move(rule))) {}
  ~ScopedRule() { exchange_rule(typeid(OpType), std::move(former_)); }
  ScopedRule(const ScopedRule&) = delete;
  ScopedRule& operator=(const ScopedRule&) = delete;

 private:
  Rule former_;
};

}  // namespace aclgrad
