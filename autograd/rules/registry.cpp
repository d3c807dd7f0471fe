// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <mutex>

#include "aclgrad/error.h"
#include "aclgrad/graph/record.h"
#include "aclgrad/ops/shape.h"
#include "aclgrad/rule.h"
#include "rules/table.h"

namespace aclgrad {
namespace detail {

void RuleTable::set(std::type_index op, InputGradients (*rule)(const Op&, const RuleCall&)) {
  rules_[op] = rule;
}

InputGradients of_all_inputs(std::span<const Value> first, Call call) {
  InputGradients gradients(first.begin(), first.end());
  gradients.resize(call.node().inputs.size());
  return gradients;
}

Value again(Call call) {
  std::vector<Value> inputs = {call.gradient()};
  for (std::size_t i = 1; i < call.node().inputs.size(); ++i) inputs.push_back(call.input(i));
  Recorder record(call.node().op->name(), std::move(inputs), call.node().where);
  return record.add(call.node().op, record.like(0));
}

Value zeros_for(const Value& value) { return zeros_like(value, value.shape()); }

Value zeros_like(const Value& value, const Shape& shape) {
  return expand(value.graph().constant(Tensor::scalar(0, value.dtype())), shape);
}

Value held(const Value& condition, const Value& g) {
  return where(condition, g, g.graph().constant(Tensor::scalar(0, g.dtype())));
}

Rule RuleTable::find(std::type_index op) const {
  const auto found = rules_.find(op);
  return found == rules_.end() ? Rule() : found->second;
}

Rule RuleTable::exchange(std::type_index op, Rule rule) {
  Rule former = find(op);
  if (rule) {
    rules_[op] = std::move(rule);
  } else {
    rules_.erase(op);
  }
  return former;
}

namespace {

struct Registry {
  Registry() {
    add_activation_rules(table);
    add_arithmetic_rules(table);
    add_attention_rules(table);
    add_convolution_rules(table);
    add_function_rules(table);
    add_index_rules(table);
    add_linalg_rules(table);
    add_loss_rules(table);
    add_matmul_rules(table);
    add_normalization_rules(table);
    add_optimizer_rules(table);
    add_ordering_rules(table);
    add_pooling_rules(table);
    add_random_rules(table);
    add_recurrent_rules(table);
    add_reduction_rules(table);
    add_resampling_rules(table);
    add_rounding_rules(table);
    add_shape_rules(table);
    add_activation_second_order_rules(table);
    add_loss_second_order_rules(table);
    add_normalization_second_order_rules(table);
  }
  RuleTable table;
  std::mutex mutex;
};

Registry& registry() {
  static Registry instance;
  return instance;
}

}  // namespace
}  // namespace detail

Rule find_rule(std::type_index op) {
  detail::Registry& registry = detail::registry();
  const std::lock_guard lock(registry.mutex);
  return registry.table.find(op);
}

Rule exchange_rule(std::type_index op, Rule rule) {
  detail::Registry& registry = detail::registry();
  const std::lock_guard lock(registry.mutex);
  return registry.table.exchange(op, std::move(rule));
}

RuleCall RuleCall::in_float() const {
  RuleCall call = *this;
  call.in_float_ = true;
  return call;
}

const Value& RuleCall::widened(Value& value) const {
  const bool is_narrow = in_float_ && value.id() >= 0 &&
                         (value.dtype() == DType::float16 || value.dtype() == DType::bfloat16);
  if (is_narrow) value = cast(value, DType::float32);
  return value;
}

const Value& RuleCall::gradient(std::size_t output) const {
  if (!has_gradient(output)) {
    throw ValueError(fmt::format("{}: no gradient arrived at its output {}", label(node_), output));
  }
  return widened(gradients_[output]);
}

void RuleCall::no_gradient_for(std::string_view what) const {
  throw ValueError(fmt::format("{}: there is no gradient for {}", label(node_), what));
}

}  // namespace aclgrad
