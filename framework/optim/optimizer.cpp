// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "aclgrad/error.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/fill.h"
#include "aclgrad/ops/foreach.h"
#include "aclgrad/ops/functions.h"
#include "aclgrad/ops/reduce.h"
#include "aclgrad/ops/selection.h"
#include "aclgrad/ops/shapes.h"
#include "aclgrad/optim.h"
#include "aclgrad/record.h"
#include "optim/support.h"

namespace aclgrad {

std::vector<ParameterGroup> decay_matrices(const std::vector<Variable>& parameters,
                                           double weight_decay) {
  std::vector<ParameterGroup> groups = {{.parameters = {}, .weight_decay = weight_decay},
                                        {.parameters = {}, .weight_decay = 0}};
  for (const Variable& variable : parameters) {
    groups[variable.shape().rank() >= 2 ? 0 : 1].parameters.push_back(variable);
  }
  return groups;
}

namespace {

// `sum` adds up what ranks have that share the gradients; it is empty where there is one.
ClippedGradients clipped_by(const Gradients& gradients, double max_norm,
                            const std::function<Value(const Value&)>& sum,
                            std::source_location where) {
  if (!(max_norm > 0)) {
    throw ValueError(fmt::format("gradients are clipped to a norm above 0, got {}", max_norm));
  }
  if (gradients.size() == 0) throw ValueError("there are no gradients to clip");
  std::vector<Value> all_gradients;
  for (const auto& [value, gradient] : gradients) {
    all_gradients.push_back(cast(gradient, DType::float32, where));
  }
  const std::vector<Value> norms = foreach_norm(all_gradients, 2, where);
  Value all = norm(stack(norms, 0, where), {}, {}, where);
  if (sum) all = sqrt(sum(mul(all, all, where)), where);
  all.named("gradient norm");
  const Value bound = all.graph().constant(Tensor::scalar(max_norm), where);
  const Value factor =
      clamp(div(bound, add(all, 1e-6, where), where), {.max = 1}, where).named("clipping");
  std::vector<Gradients::Pair> clipped;
  for (const auto& [value, gradient] : gradients) {
    clipped.push_back({value, mul(gradient, cast(factor, gradient.dtype(), where), where)});
  }
  return {Gradients(std::move(clipped)), all};
}

}  // namespace

ClippedGradients clip_gradients(const Gradients& gradients, double max_norm,
                                std::source_location where) {
  return clipped_by(gradients, max_norm, {}, where);
}

Optimizer::Optimizer(const std::string& name, LearningRate rate, double weight_decay,
                     std::optional<double> clip_norm, std::vector<ParameterGroup> groups)
    : rate_(std::move(rate)),
      weight_decay_(weight_decay),
      clip_norm_(clip_norm),
      groups_(std::move(groups)) {
  if (!rate_.is_number()) {
    rate_variable_.emplace(name + ".learning_rate", Tensor::scalar(rate_.at(0)));
  }
}

Update Optimizer::step(const Graph& graph, const Gradients& gradients, std::source_location where) {
  std::vector<const ParameterGroup*> groups;
  for (const auto& [value, gradient] : gradients) {
    groups.push_back(group_of(detail::variable_to_update(graph, value)));
  }
  const RecordScope scope(graph, Pass::update);
  before(graph, gradients, where);
  const Gradients& used =
      clip_norm_ ? clipped_by(gradients, *clip_norm_, sum_, where).gradients : gradients;
  Update result;
  const auto add = [&](const std::vector<Value>& updated) {
    result.values.insert(result.values.end(), updated.begin(), updated.end());
  };
  auto group = groups.begin();
  for (const auto& [value, gradient] : used) {
    const double decay =
        *group != nullptr && (*group)->weight_decay ? *(*group)->weight_decay : weight_decay_;
    const double factor = *group != nullptr ? (*group)->learning_rate_factor : 1;
    ++group;
    const double rate = is_scheduled() ? factor : factor * rate_.at(0);
    add(update({graph, value, gradient, decay, rate, where}));
  }
  add(after(graph, where));
  return result;
}

const ParameterGroup* Optimizer::group_of(const Variable& parameter) const {
  const auto found = std::ranges::find_if(groups_, [&](const ParameterGroup& group) {
    return std::ranges::find(group.parameters, parameter) != group.parameters.end();
  });
  if (found != groups_.end()) return &*found;
  if (groups_.empty()) return nullptr;
  throw ValueError(fmt::format("`{}` is in no group of the optimizer", parameter.name()));
}

void Optimizer::add_share(const Variable& share, const Variable& parameter) {
  const ParameterGroup* group = group_of(parameter);
  if (group == nullptr) return;
  groups_[static_cast<std::size_t>(group - groups_.data())].parameters.push_back(share);
}

void Optimizer::set_step(std::int64_t step) const {
  if (rate_variable_) rate_variable_->assign(Tensor::scalar(rate_.at(step)));
}

void Optimizer::set_learning_rate(double rate) const {
  if (!rate_variable_) {
    throw ValueError(
        "the learning rate is a number and stays as it is: give the optimizer a function of the "
        "step, schedule::constant() say, to change it");
  }
  rate_variable_->assign(Tensor::scalar(rate));
}

std::vector<Variable> Optimizer::state() const {
  std::vector<Variable> all = kept_;
  if (rate_variable_) all.push_back(*rate_variable_);
  return all;
}

const Variable& Optimizer::slot(const Variable& parameter, const std::string& name, bool kept) {
  auto& variables =
      slots_.try_emplace(parameter.identity(), Slots{parameter, {}}).first->second.variables;
  for (const auto& [known, variable] : variables) {
    if (known == name) return variable;
  }
  variables.emplace_back(name, Variable(parameter.name() + "." + name,
                                        Tensor::zeros(parameter.shape(), parameter.dtype())));
  if (kept) kept_.push_back(variables.back().second);
  return variables.back().second;
}

Value Optimizer::slot(const Step& step, const std::string& name, bool kept) {
  return step.graph.parameter(slot(*step.parameter.variable(), name, kept), step.where);
}

Value Optimizer::move(const Step& step, const Value& direction, double sign) const {
  const double factor = sign * step.learning_rate;
  if (!rate_variable_) return inplace_add(step.parameter, direction, factor, step.where);
  const Value rate =
      cast(step.graph.parameter(*rate_variable_, step.where), step.parameter.dtype(), step.where);
  return inplace_add(step.parameter, mul(direction, rate, step.where), factor, step.where);
}

}  // namespace aclgrad
