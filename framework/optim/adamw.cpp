// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <unordered_set>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/ops/activation.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/random.h"
#include "aclgrad/ops/shape.h"
#include "aclgrad/optim.h"
#include "optim/support.h"
#include "tensor/option.h"

namespace aclgrad {

AdamW::AdamW(const AdamWOptions& options, std::vector<ParameterGroup> groups)
    : AdamW(Kind{.name = "AdamW", .betas = true, .epsilon = true}, options, std::move(groups)) {}

AdamW::AdamW(const Kind& kind, const AdamWOptions& options, std::vector<ParameterGroup> groups)
    : Optimizer(kind, options, std::move(groups)),
      options_(options),
      steps_(Variable::kept_beside("", options.name + ".steps", Tensor::zeros({1}, DType::int64))) {
  detail::require_option(kind.name, "beta1", options.beta1, detail::kBelowOne);
  detail::require_option(kind.name, "beta2", options.beta2, detail::kBelowOne);
  detail::require_option(kind.name, "epsilon", options.epsilon, detail::kNotNegative);
}

std::vector<Value> AdamW::update(const Step& step) { return update(step, options_.maximize); }

// The step is linear in the learning rate: -rate (u + decay p). For a rate that a variable holds
// the operator, at a rate of 1 and without decay, leaves -u in a variable that was 0; so it does
// for a parameter of 16 bits, which has not the dtype of the moments.
std::vector<Value> AdamW::update(const Step& step, bool maximize) {
  AdamWAttributes attributes{.learning_rate = step.learning_rate,
                             .beta1 = step.option(&ParameterGroup::beta1, options_.beta1),
                             .beta2 = step.option(&ParameterGroup::beta2, options_.beta2),
                             .weight_decay = step.weight_decay,
                             .epsilon = step.option(&ParameterGroup::epsilon, options_.epsilon),
                             .maximize = maximize};
  const Value first = slot(step, "first_moment"), second = slot(step, "second_moment");
  const Value largest = options_.amsgrad ? slot(step, "largest_second_moment") : Value();
  const Value steps =
      counts_each_ ? slot(step, std::string(detail::kCount)) : step.graph.parameter(steps_);
  const auto apply = [&](const Value& parameter) {
    return apply_adam_w(parameter, first, second, step.gradient, steps, attributes, largest)
        .parameter;
  };
  if (!is_scheduled() && step.parameter.dtype() == step.gradient.dtype()) {
    return {apply(step.parameter)};
  }
  attributes.learning_rate = 1;
  attributes.weight_decay = 0;
  const Value zero = step.graph.constant(Tensor::scalar(0, step.gradient.dtype()));
  Value direction = apply(assign(slot(step, "direction", /*kept=*/false), zero));
  if (step.weight_decay != 0) {
    direction = add(direction, step.value, -step.weight_decay);
  }
  return {move(step, direction, 1)};
}

// Where parameters share one count of steps, every step must be one of all of them.
void AdamW::before(const Graph&, const Gradients& gradients) {
  if (const std::string problem = difference(gradients); !problem.empty() && !counts_each_) {
    if (!forgot_graphs_) {
      throw ValueError(problem +
                       " one count of steps; give each set of parameters an optimizer of its own "
                       "name, or call count_each_parameter() first");
    }
    count_each_parameter();
  }
  forgot_graphs_ = false;
  parameters_.clear();
  for (const auto& [value, gradient] : gradients) parameters_.push_back(*value.variable());
}

// What sets the parameters apart from those of the latest step(); empty for the same ones.
std::string AdamW::difference(const Gradients& gradients) const {
  if (parameters_.empty()) return {};
  std::unordered_set<std::uintptr_t> known, present;
  for (const Variable& parameter : parameters_) known.insert(parameter.identity());
  for (const auto& [value, gradient] : gradients) {
    present.insert(value.variable()->identity());
    if (known.contains(value.variable()->identity())) continue;
    return fmt::format("{} was not among the parameters of the first step(), which have",
                       value.description());
  }
  for (const Variable& parameter : parameters_) {
    if (present.contains(parameter.identity())) continue;
    return fmt::format(
        "there is no gradient of `{}`, which the first step() updated: all its parameters have",
        parameter.name());
  }
  return {};
}

bool AdamW::accepts(const Gradients& gradients) const {
  return counts_each_ || difference(gradients).empty();
}

void AdamW::count_each_parameter() {
  if (has_shares_) {
    throw ValueError(fmt::format(
        "{}: ranks that share the update count the steps of all parameters together: freeze and "
        "unfreeze before the first step, let every loss depend on the same parameters, or let each "
        "rank update all (DataParallel)",
        kind().name));
  }
  if (counts_each_) return;
  for (const Variable& parameter : parameters_) {
    slot(parameter, std::string(detail::kCount)).assign(steps_.value());
  }
  counts_each_ = true;
}

void AdamW::add_share(const Variable& share, const Variable& parameter) {
  has_shares_ = true;
  if (std::exchange(counts_each_, false)) {
    counts_each_ = true;
    count_each_parameter();  // throws
  }
  Optimizer::add_share(share, parameter);
}

// After all parameters: they read the count of steps done before this one.
std::vector<Value> AdamW::after(const Graph& graph) {
  const Value one = graph.constant(Tensor::full({1}, 1, DType::int64));
  if (!counts_each_) return {inplace_add(graph.parameter(steps_), one, 1)};
  std::vector<Value> counts;
  for (const Variable& parameter : parameters_) {
    const Variable& count = slot(parameter, std::string(detail::kCount));
    counts.push_back(inplace_add(graph.parameter(count), one, 1));
  }
  return counts;
}

std::vector<Variable> AdamW::state() const {
  std::vector<Variable> all = Optimizer::state();
  if (!counts_each_) all.insert(all.begin(), steps_);
  return all;
}

Adam::Adam(const AdamOptions& options, std::vector<ParameterGroup> groups)
    : AdamW(Kind{.name = "Adam", .betas = true, .epsilon = true},
            {.learning_rate = options.learning_rate,
             .beta1 = options.beta1,
             .beta2 = options.beta2,
             .weight_decay = options.weight_decay,
             .epsilon = options.epsilon,
             .maximize = options.maximize,
             .clip_norm = options.clip_norm,
             .name = options.name,
             .amsgrad = options.amsgrad},
            std::move(groups)) {}

std::vector<Value> Adam::update(const Step& step) {
  if (step.weight_decay == 0) return AdamW::update(step);
  Step plain = step;
  plain.weight_decay = 0;
  const Value gradient = maximizes() ? neg(step.gradient) : step.gradient;
  plain.gradient = add(gradient, step.value, step.weight_decay);
  return AdamW::update(plain, /*maximize=*/false);
}

}  // namespace aclgrad
