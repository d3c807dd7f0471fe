// SPDX-License-Identifier: Apache-2.0
// Optimizers that are composed of elementwise operators.
#include <utility>

#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/functions.h"
#include "aclgrad/optim.h"

namespace aclgrad {
namespace {

// gradient + weight_decay parameter
Value decayed(const Value& gradient, const Value& parameter, double weight_decay,
              std::source_location where) {
  return weight_decay == 0 ? gradient : add(gradient, parameter, weight_decay, where);
}

}  // namespace

Sgd::Sgd(const SgdOptions& options, std::vector<ParameterGroup> groups)
    : Optimizer(options, std::move(groups)), options_(options) {}

std::vector<Value> Sgd::update(const Step& step) {
  Value direction = decayed(step.gradient, step.parameter, step.weight_decay, step.where);
  if (options_.momentum != 0) {
    const Value velocity =
        accumulate(slot(step, "velocity"), direction, options_.momentum, step.where);
    direction =
        options_.nesterov ? add(direction, velocity, options_.momentum, step.where) : velocity;
  }
  return {move(step, direction)};
}

RmsProp::RmsProp(const RmsPropOptions& options, std::vector<ParameterGroup> groups)
    : Optimizer(options, std::move(groups)), options_(options) {}

std::vector<Value> RmsProp::update(const Step& step) {
  const Value gradient = decayed(step.gradient, step.parameter, step.weight_decay, step.where);
  const Value square = mul(mul(gradient, gradient, step.where), 1 - options_.alpha, step.where);
  const Value mean = accumulate(slot(step, "square_average"), square, options_.alpha, step.where);
  Value direction =
      div(gradient, add(sqrt(mean, step.where), options_.epsilon, step.where), step.where);
  if (options_.momentum != 0) {
    direction = accumulate(slot(step, "velocity"), direction, options_.momentum, step.where);
  }
  return {move(step, direction)};
}

Lion::Lion(const LionOptions& options, std::vector<ParameterGroup> groups)
    : Optimizer(options, std::move(groups)), options_(options) {}

std::vector<Value> Lion::update(const Step& step) {
  const Value momentum = slot(step, "momentum");
  const Value mixed =
      add(mul(momentum, options_.beta1, step.where), step.gradient, 1 - options_.beta1, step.where);
  const Value direction =
      decayed(sign(mixed, step.where), step.parameter, step.weight_decay, step.where);
  const Value moved = move(step, direction);
  const Value fresh = mul(step.gradient, 1 - options_.beta2, step.where);
  return {moved, accumulate(momentum, fresh, options_.beta2, step.where)};
}

}  // namespace aclgrad
