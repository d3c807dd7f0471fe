// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/graph/record.h"
#include "aclgrad/ops/activation.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/optimizer.h"
#include "aclgrad/ops/random.h"
#include "aclgrad/ops/reduction.h"
#include "aclgrad/ops/shape.h"
#include "aclgrad/optim.h"
#include "optim/support.h"
#include "tensor/at_least_float.h"
#include "tensor/option.h"

namespace aclgrad {

std::vector<ParameterGroup> decay_matrices(const std::vector<Variable>& parameters,
                                           double weight_decay) {
  std::vector<ParameterGroup> groups = {{.parameters = {}, .weight_decay = weight_decay},
                                        {.parameters = {}, .weight_decay = 0}};
  for (const Variable& variable : parameters) {
    groups[variable.shape().rank() >= 2 ? 0 : 1].parameters.push_back(variable);
  }
  std::erase_if(groups, [](const ParameterGroup& group) { return group.parameters.empty(); });
  return groups;
}

namespace {

// `gather` puts the norms of ranks that share the gradients side by side: their squares would not
// fit float32. It is empty where there is one rank.
ClippedGradients clipped_by(const Gradients& gradients, double max_norm,
                            const std::function<Value(const Value&)>& gather) {
  if (!(max_norm > 0)) {
    throw ValueError(fmt::format("gradients are clipped to a norm above 0, got {}", max_norm));
  }
  if (gradients.size() == 0) throw ValueError("there are no gradients to clip");
  const bool all_wide = std::ranges::all_of(gradients, [](const Gradients::Pair& pair) {
    return pair.gradient.dtype() == DType::float64;
  });
  const DType dtype = all_wide ? DType::float64 : DType::float32;
  std::vector<Value> all_gradients;
  for (const auto& [value, gradient] : gradients) {
    all_gradients.push_back(cast(gradient, dtype));
  }
  const std::vector<Value> norms = foreach_norm(all_gradients, 2);
  Value all = norm(stack(norms, 0), {}, {});
  if (gather) all = norm(gather(all), {}, {});
  all.named("gradient norm");
  const Value bound = all.graph().constant(Tensor::scalar(max_norm, dtype));
  const Value factor = clamp(div(bound, add(all, 1e-6)), {.max = 1}).named("clipping");
  std::vector<Gradients::Pair> clipped;
  for (const auto& [value, gradient] : gradients) {
    // A factor of 16 bits would be 0 for gradients that they hold.
    const Value wide = cast(gradient, detail::at_least_float(gradient.dtype()));
    clipped.push_back({value, cast(mul(wide, cast(factor, wide.dtype())), gradient.dtype())});
  }
  return {Gradients(std::move(clipped)), all};
}

}  // namespace

ClippedGradients clip_gradients(const Gradients& gradients, double max_norm,
                                std::source_location where) {
  std::optional<RecordScope> scope;
  if (gradients.size() > 0) scope.emplace(gradients.begin()->gradient.graph(), where);
  return clipped_by(gradients, max_norm, {});
}

void LearningRate::require_function() const {
  if (!schedule_) throw ValueError("the learning rate is an empty function");
}

Optimizer::Optimizer(const Kind& kind, std::string name, LearningRate rate, double weight_decay,
                     std::optional<double> clip_norm, std::vector<ParameterGroup> groups)
    : kind_(kind),
      name_(std::move(name)),
      rate_(std::move(rate)),
      weight_decay_(weight_decay),
      clip_norm_(clip_norm),
      groups_(std::move(groups)) {
  detail::require_option(kind_.name, "learning_rate", rate_.at(0), detail::kNotNegative);
  detail::require_option(kind_.name, "weight_decay", weight_decay_, detail::kNotNegative);
  if (clip_norm_) detail::require_option(kind_.name, "clip_norm", *clip_norm_, detail::kPositive);
  check_groups();
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    for (const Variable& parameter : groups_[i].parameters) {
      if (group_numbers_.emplace(parameter.identity(), i).second) continue;
      throw ValueError(
          fmt::format("{}: `{}` is in two groups, or twice in one", kind_.name, parameter.name()));
    }
  }
  if (!rate_.is_number()) {
    rate_variable_ =
        Variable::kept_beside("", name_ + ".learning_rate", Tensor::scalar(rate_.at(0)));
  }
  if (rate_.plateau()) {
    plateau_variable_ =
        Variable::kept_beside("", name_ + ".learning_rate.plateau", rate_.plateau()->begin());
  }
}

void Optimizer::check_groups() const {
  const auto check = [&](const char* option, const std::optional<double>& value, bool has,
                         const detail::Range& range) {
    if (!value) return;
    if (!has) {
      throw ValueError(
          fmt::format("{}: a group sets {}, which it does not have", kind_.name, option));
    }
    detail::require_option(kind_.name, fmt::format("{} of a group", option), *value, range);
  };
  for (const ParameterGroup& group : groups_) {
    if (group.parameters.empty()) {
      throw ValueError(fmt::format("{}: a group has no parameters", kind_.name));
    }
    check("weight_decay", group.weight_decay, true, detail::kNotNegative);
    check("learning_rate_factor", group.learning_rate_factor, true, detail::kNotNegative);
    check("momentum", group.momentum, kind_.momentum, detail::kUnit);
    check("beta1", group.beta1, kind_.betas, detail::kBelowOne);
    check("beta2", group.beta2, kind_.betas, detail::kBelowOne);
    check("epsilon", group.epsilon, kind_.epsilon, detail::kNotNegative);
  }
}

Update Optimizer::step(const Graph& graph, const Gradients& gradients, std::source_location where) {
  std::vector<const ParameterGroup*> groups;
  for (const auto& [value, gradient] : gradients) {
    groups.push_back(group_of(detail::variable_to_update(graph, value)));
    if (gradient.shape() == value.shape()) continue;
    throw ShapeError(fmt::format("the gradient of {} has shape {}, not {}", value.description(),
                                 gradient.shape(), value.shape()));
  }
  const RecordScope scope(graph, Pass::update, where);
  before(graph, gradients);
  std::vector<Gradients::Pair> wide;
  for (const auto& [value, gradient] : gradients) {
    wide.push_back({value, cast(gradient, detail::at_least_float(value.dtype()))});
  }
  Gradients used(std::move(wide));
  if (clip_norm_) used = clipped_by(used, *clip_norm_, gather_).gradients;
  Update result;
  const auto add = [&](const std::vector<Value>& updated) {
    result.values.insert(result.values.end(), updated.begin(), updated.end());
  };
  auto group = groups.begin();
  for (const auto& [value, gradient] : used) {
    const double decay =
        *group != nullptr && (*group)->weight_decay ? *(*group)->weight_decay : weight_decay_;
    const double factor = *group != nullptr ? (*group)->learning_rate_factor : 1;
    const double rate = is_scheduled() ? factor : factor * learning_rate(0);
    const Value contents = cast(value, gradient.dtype());
    add(update({graph, value, contents, gradient, decay, rate, *group}));
    ++group;
  }
  add(after(graph));
  return result;
}

const ParameterGroup* Optimizer::group_of(const Variable& parameter) const {
  if (groups_.empty()) return nullptr;
  const auto found = group_numbers_.find(parameter.identity());
  if (found != group_numbers_.end()) return &groups_[found->second];
  throw ValueError(fmt::format("`{}` is in no group of the optimizer", parameter.name()));
}

void Optimizer::add_share(const Variable& share, const Variable& parameter) {
  const ParameterGroup* group = group_of(parameter);
  if (group == nullptr) return;
  const auto number = static_cast<std::size_t>(group - groups_.data());
  groups_[number].parameters.push_back(share);
  group_numbers_.emplace(share.identity(), number);
}

void Optimizer::set_step(std::int64_t step) const {
  if (!rate_variable_) return;
  const double rate = learning_rate(step);
  if (!detail::kFinite.contains(rate)) {
    detail::require_option(kind_.name, fmt::format("the learning rate of step {}", step), rate,
                           detail::kFinite);
  }
  rate_variable_->assign(Tensor::scalar(rate));
}

double Optimizer::learning_rate(std::int64_t step) const {
  return plateau_variable_ ? plateau_variable_->value().get(0)
                           : changed_rate_.value_or(rate_.at(step));
}

void Optimizer::tell_score(double score) const {
  if (!plateau_variable_) return;
  plateau_variable_->assign(rate_.plateau()->next(plateau_variable_->value(), score));
}

void Optimizer::set_learning_rate(double rate) const {
  if (!rate_variable_) {
    throw ValueError(
        "the learning rate is a number, which is part of what is recorded: give the optimizer a "
        "function of the step, schedule::constant() say, or let a Trainer change it");
  }
  detail::require_option(kind_.name, "the learning rate", rate, detail::kNotNegative);
  rate_variable_->assign(Tensor::scalar(rate));
}

bool Optimizer::change_learning_rate(std::optional<double> rate) {
  if (rate) detail::require_option(kind_.name, "the learning rate", *rate, detail::kNotNegative);
  if (!is_scheduled()) return std::exchange(changed_rate_, rate) != rate;
  if (rate) rate_variable_->assign(Tensor::scalar(*rate));
  return false;
}

std::vector<Variable> Optimizer::state() const {
  std::vector<Variable> all = kept_;
  if (rate_variable_) all.push_back(*rate_variable_);
  if (plateau_variable_) all.push_back(*plateau_variable_);
  return all;
}

const Variable& Optimizer::slot(const Variable& parameter, const std::string& name, bool kept) {
  auto& variables =
      slots_.try_emplace(parameter.identity(), Slots{parameter, {}}).first->second.variables;
  for (const auto& [known, variable] : variables) {
    if (known == name) return variable;
  }
  const Tensor zeros =
      name == detail::kCount
          ? Tensor::zeros({1}, DType::int64)
          : Tensor::zeros(parameter.shape(), detail::at_least_float(parameter.dtype()));
  variables.emplace_back(name, Variable::kept_beside(parameter.name(), name, zeros));
  if (kept) kept_.push_back(variables.back().second);
  return variables.back().second;
}

Value Optimizer::slot(const Step& step, const std::string& name, bool kept) {
  return step.graph.parameter(slot(*step.parameter.variable(), name, kept));
}

Value Optimizer::move(const Step& step, const Value& direction, double sign) const {
  const double factor = sign * step.learning_rate;
  Value scaled = direction;
  if (rate_variable_) {
    const Value rate = step.graph.parameter(*rate_variable_);
    scaled = mul(direction, cast(rate, direction.dtype()));
  }
  if (step.parameter.dtype() == direction.dtype()) {
    return inplace_add(step.parameter, scaled, factor);
  }
  return assign(step.parameter, aclgrad::add(step.value, scaled, factor));
}

}  // namespace aclgrad
