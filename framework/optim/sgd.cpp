// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/optim.h"
#include "aclgrad/record.h"
#include "optim/support.h"

namespace aclgrad {

Sgd::Sgd(SgdOptions options)
    : options_(std::move(options)),
      rate_(detail::rate_variable(options_.name + ".learning_rate", options_.learning_rate,
                                  options_.scheduled)) {}

const Variable& Sgd::velocity_of(const Variable& parameter) {
  const auto known = velocities_.find(parameter.identity());
  if (known != velocities_.end()) return known->second.velocity;
  Velocity fresh{parameter,
                 Variable(parameter.name() + ".velocity", detail::zeros_like(parameter))};
  order_.push_back(fresh.velocity);
  return velocities_.emplace(parameter.identity(), std::move(fresh)).first->second.velocity;
}

Update Sgd::step(Graph& graph, const Gradients& gradients, std::source_location where) {
  const RecordScope scope(graph, Phase::update);
  Update update;
  for (const auto& [value, gradient] : gradients) {
    const Variable& parameter = detail::variable_to_update(graph, value);
    Value direction = gradient;
    if (options_.weight_decay != 0) {
      direction = add(direction, value, options_.weight_decay, where);
    }
    if (options_.momentum != 0) {
      const Value velocity = graph.parameter(velocity_of(parameter), where);
      direction = accumulate(velocity, direction, options_.momentum, where);
    }
    update.values.push_back(rate_ ? detail::add_scaled(graph, value, direction, *rate_, -1, where)
                                  : inplace_add(value, direction, -options_.learning_rate, where));
  }
  return update;
}

void Sgd::set_learning_rate(double rate) const { detail::set_rate(rate_, rate); }

std::vector<Variable> Sgd::state() const {
  std::vector<Variable> all = order_;
  if (rate_) all.push_back(*rate_);
  return all;
}

}  // namespace aclgrad
