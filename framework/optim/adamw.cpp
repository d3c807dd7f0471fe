// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <unordered_set>

#include "aclgrad/error.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/fill.h"
#include "aclgrad/optim.h"
#include "aclgrad/record.h"
#include "optim/support.h"

namespace aclgrad {
namespace {

AdamWAttributes attributes(const AdamWOptions& options) {
  return {.learning_rate = options.learning_rate,
          .beta1 = options.beta1,
          .beta2 = options.beta2,
          .weight_decay = options.weight_decay,
          .epsilon = options.epsilon,
          .maximize = options.maximize};
}

}  // namespace

AdamW::AdamW(Options options)
    : options_(std::move(options)),
      steps_(options_.name + ".steps", Tensor::zeros({1}, DType::int64)),
      rate_(detail::rate_variable(options_.name + ".learning_rate", options_.learning_rate,
                                  options_.scheduled)) {}

AdamW::Moments& AdamW::moments(const Variable& parameter) {
  const auto known = moments_.find(parameter.identity());
  if (known != moments_.end()) return known->second;
  const Tensor zeros = detail::zeros_like(parameter);
  Moments fresh{parameter, Variable(parameter.name() + ".first_moment", zeros),
                Variable(parameter.name() + ".second_moment", zeros), std::nullopt};
  if (rate_) fresh.direction.emplace(parameter.name() + ".direction", zeros);
  order_.push_back(fresh.first);
  order_.push_back(fresh.second);
  return moments_.emplace(parameter.identity(), std::move(fresh)).first->second;
}

// The step is linear in the learning rate: -rate (u + decay p). The operator, told a rate of 1 and
// no decay, leaves -u in a variable that was 0.
Value AdamW::scheduled_step(Graph& graph, const Moments& state, const Value& parameter,
                            const Value& gradient, const Value& steps,
                            std::source_location where) const {
  AdamWAttributes unit = attributes(options_);
  unit.learning_rate = 1;
  unit.weight_decay = 0;
  const Value zero = graph.constant(Tensor::scalar(0, parameter.dtype()), where);
  const Value cleared = assign(graph.parameter(*state.direction, where), zero, where);
  Value direction = apply_adam_w(cleared, graph.parameter(state.first, where),
                                 graph.parameter(state.second, where), gradient, steps, unit, where)
                        .parameter;
  if (options_.weight_decay != 0) {
    direction = add(direction, parameter, -options_.weight_decay, where);
  }
  return detail::add_scaled(graph, parameter, direction, *rate_, 1, where);
}

// All parameters share one count of steps, so every step must be one of all of them.
void AdamW::check_group(const Graph& graph, const Gradients& gradients) const {
  std::unordered_set<std::uintptr_t> given;
  for (const auto& [value, gradient] : gradients) {
    const Variable& parameter = detail::variable_to_update(graph, value);
    given.insert(parameter.identity());
    if (!group_size_ || moments_.contains(parameter.identity())) continue;
    throw ValueError(fmt::format(
        "{} was not among the parameters of the first step(), which have one count of steps: give "
        "each group of parameters an AdamW of its own name",
        value.description()));
  }
  if (!group_size_ || given.size() == *group_size_) return;
  for (const auto& [identity, moments] : moments_) {
    if (given.contains(identity)) continue;
    throw ValueError(fmt::format(
        "there is no gradient of `{}`, which the first step() updated: all its parameters have one "
        "count of steps; give each group of parameters an AdamW of its own name",
        moments.parameter.name()));
  }
}

Update AdamW::step(Graph& graph, const Gradients& gradients, std::source_location where) {
  check_group(graph, gradients);
  const RecordScope scope(graph, Phase::update);
  const Value steps = graph.parameter(steps_, where);
  for (const auto& [value, gradient] : gradients) moments(*value.variable());
  group_size_ = moments_.size();
  Update update;
  for (const auto& [value, gradient] : gradients) {
    const Moments& state = moments(*value.variable());
    update.values.push_back(rate_ ? scheduled_step(graph, state, value, gradient, steps, where)
                                  : apply_adam_w(value, graph.parameter(state.first, where),
                                                 graph.parameter(state.second, where), gradient,
                                                 steps, attributes(options_), where)
                                        .parameter);
  }
  // After all parameters: they read the count of steps done before this one.
  const Value one = graph.constant(Tensor::full({1}, 1, DType::int64), where);
  update.values.push_back(inplace_add(steps, one, 1, where));
  return update;
}

void AdamW::set_learning_rate(double rate) const { detail::set_rate(rate_, rate); }

std::vector<Variable> AdamW::state() const {
  std::vector<Variable> all = {steps_};
  all.insert(all.end(), order_.begin(), order_.end());
  if (rate_) all.push_back(*rate_);
  return all;
}

}  // namespace aclgrad
