// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "aclgrad/error.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/fill.h"
#include "aclgrad/optim.h"

namespace aclgrad {

AdamW::AdamW(const AdamWOptions& options, std::vector<ParameterGroup> groups)
    : Optimizer(options, std::move(groups)),
      options_(options),
      steps_(options.name + ".steps", Tensor::zeros({1}, DType::int64)) {}

// The step is linear in the learning rate: -rate (u + decay p). For a rate that a variable holds
// the operator, told a rate of 1 and no decay, leaves -u in a variable that was 0.
std::vector<Value> AdamW::update(const Step& step) {
  AdamWAttributes attributes{.learning_rate = step.learning_rate,
                             .beta1 = options_.beta1,
                             .beta2 = options_.beta2,
                             .weight_decay = step.weight_decay,
                             .epsilon = options_.epsilon,
                             .maximize = options_.maximize};
  const Value first = slot(step, "first_moment"), second = slot(step, "second_moment");
  const Value steps = step.graph.parameter(steps_, step.where);
  if (!is_scheduled()) {
    return {
        apply_adam_w(step.parameter, first, second, step.gradient, steps, attributes, step.where)
            .parameter};
  }
  attributes.learning_rate = 1;
  attributes.weight_decay = 0;
  const Value zero = step.graph.constant(Tensor::scalar(0, step.parameter.dtype()), step.where);
  const Value cleared = assign(slot(step, "direction", /*kept=*/false), zero, step.where);
  Value direction =
      apply_adam_w(cleared, first, second, step.gradient, steps, attributes, step.where).parameter;
  if (step.weight_decay != 0) {
    direction = add(direction, step.parameter, -step.weight_decay, step.where);
  }
  return {move(step, direction, 1)};
}

// All parameters share one count of steps, so every step must be one of all of them.
void AdamW::before(const Graph&, const Gradients& gradients, std::source_location) {
  std::vector<Variable> given;
  for (const auto& [value, gradient] : gradients) {
    const Variable& parameter = *value.variable();
    if (!parameters_.empty() && std::ranges::find(parameters_, parameter) == parameters_.end()) {
      throw ValueError(fmt::format(
          "{} was not among the parameters of the first step(), which have one count of steps: "
          "give each set of parameters an optimizer of its own name",
          value.description()));
    }
    given.push_back(parameter);
  }
  for (const Variable& parameter : parameters_) {
    if (std::ranges::find(given, parameter) != given.end()) continue;
    throw ValueError(fmt::format(
        "there is no gradient of `{}`, which the first step() updated: all its parameters have one "
        "count of steps; give each set of parameters an optimizer of its own name",
        parameter.name()));
  }
  if (parameters_.empty()) parameters_ = std::move(given);
}

// After all parameters: they read the count of steps done before this one.
std::vector<Value> AdamW::after(const Graph& graph, std::source_location where) {
  const Value one = graph.constant(Tensor::full({1}, 1, DType::int64), where);
  return {inplace_add(graph.parameter(steps_, where), one, 1, where)};
}

std::vector<Variable> AdamW::state() const {
  std::vector<Variable> all = Optimizer::state();
  all.insert(all.begin(), steps_);
  return all;
}

Adam::Adam(const AdamOptions& options, std::vector<ParameterGroup> groups)
    : AdamW({.learning_rate = options.learning_rate,
             .beta1 = options.beta1,
             .beta2 = options.beta2,
             .weight_decay = options.weight_decay,
             .epsilon = options.epsilon,
             .maximize = options.maximize,
             .clip_norm = options.clip_norm,
             .name = options.name},
            std::move(groups)) {}

std::vector<Value> Adam::update(const Step& step) {
  Step plain = step;
  plain.weight_decay = 0;
  if (step.weight_decay != 0) {
    plain.gradient = add(step.gradient, step.parameter, step.weight_decay, step.where);
  }
  return AdamW::update(plain);
}

}  // namespace aclgrad
