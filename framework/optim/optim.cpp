// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/optim.h"

#include <fmt/format.h>

#include "aclgrad/error.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/record.h"

namespace aclgrad {
namespace {

const Variable& variable_of(const Value& value) {
  const Variable* variable = value.variable();
  if (variable == nullptr) {
    throw ValueError(fmt::format("cannot update {}: it is not a variable", value.description()));
  }
  return *variable;
}

Tensor zeros_like(const Variable& variable) {
  return Tensor::zeros(variable.shape(), variable.dtype());
}

void require_same_graph(const Graph& graph, const Value& value) {
  if (value.graph() == graph) return;
  throw ValueError(fmt::format("{} belongs to another graph", value.description()));
}

}  // namespace

Sgd::Sgd(SgdOptions options) : options_(options) {}

const Variable& Sgd::velocity_of(const Variable& parameter) {
  const auto known = velocities_.find(parameter.identity());
  if (known != velocities_.end()) return known->second.velocity;
  Velocity fresh{parameter, Variable(parameter.name() + ".velocity", zeros_like(parameter))};
  order_.push_back(fresh.velocity);
  return velocities_.emplace(parameter.identity(), std::move(fresh)).first->second.velocity;
}

Update Sgd::step(Graph& graph, const Gradients& gradients, std::source_location where) {
  const RecordScope scope(graph, Phase::update);
  Update update;
  for (const auto& [value, gradient] : gradients) {
    require_same_graph(graph, value);
    const Variable& parameter = variable_of(value);
    Value direction = gradient;
    if (options_.weight_decay != 0) {
      direction = add(direction, value, options_.weight_decay, where);
    }
    if (options_.momentum != 0) {
      const Value velocity = graph.parameter(velocity_of(parameter), where);
      direction = accumulate(velocity, direction, options_.momentum, where);
    }
    update.values.push_back(inplace_add(value, direction, -options_.learning_rate, where));
  }
  return update;
}

std::vector<Variable> Sgd::state() const { return order_; }

AdamW::AdamW(Options options)
    : options_(options), steps_("adamw.steps", Tensor::zeros({1}, DType::int64)) {}

AdamW::Moments& AdamW::moments(const Variable& parameter) {
  const auto known = moments_.find(parameter.identity());
  if (known != moments_.end()) return known->second;
  Moments fresh{parameter, Variable(parameter.name() + ".first_moment", zeros_like(parameter)),
                Variable(parameter.name() + ".second_moment", zeros_like(parameter))};
  order_.push_back(fresh.first);
  order_.push_back(fresh.second);
  return moments_.emplace(parameter.identity(), std::move(fresh)).first->second;
}

Update AdamW::step(Graph& graph, const Gradients& gradients, std::source_location where) {
  const RecordScope scope(graph, Phase::update);
  const Value steps = graph.parameter(steps_, where);
  Update update;
  for (const auto& [value, gradient] : gradients) {
    require_same_graph(graph, value);
    const Moments& state = moments(variable_of(value));
    const AdamWResult result =
        apply_adam_w(value, graph.parameter(state.first, where),
                     graph.parameter(state.second, where), gradient, steps, options_, where);
    update.values.push_back(result.parameter);
  }
  // After all parameters: they read the count of steps done before this one.
  const Value one = graph.constant(Tensor::full({1}, 1, DType::int64), where);
  update.values.push_back(inplace_add(steps, one, 1, where));
  return update;
}

std::vector<Variable> AdamW::state() const {
  std::vector<Variable> all = {steps_};
  all.insert(all.end(), order_.begin(), order_.end());
  return all;
}

}  // namespace aclgrad
