// SPDX-License-Identifier: Apache-2.0
// Optimizers that are composed of elementwise operators.
#include <fmt/format.h>

#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/ops/activation.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/optim.h"
#include "tensor/option.h"

namespace aclgrad {
namespace {

// gradient + weight_decay parameter
Value decayed(const Value& gradient, const Value& parameter, double weight_decay) {
  return weight_decay == 0 ? gradient : add(gradient, parameter, weight_decay);
}

}  // namespace

Sgd::Sgd(const SgdOptions& options, std::vector<ParameterGroup> groups)
    : Optimizer(Kind{.name = "Sgd", .momentum = true}, options, groups), options_(options) {
  detail::require_option("Sgd", "momentum", options.momentum, detail::kUnit);
  detail::require_option("Sgd", "dampening", options.dampening, detail::kUnit);
  if (!options.nesterov) return;
  bool has_momentum = options.momentum > 0;
  for (const ParameterGroup& group : groups) {
    has_momentum = has_momentum || group.momentum.value_or(0) > 0;
  }
  if (!has_momentum || options.dampening != 0) {
    throw ValueError(
        fmt::format("Sgd: nesterov needs a momentum above 0 and a dampening of 0, got {} and {}",
                    options.momentum, options.dampening));
  }
}

std::vector<Value> Sgd::update(const Step& step) {
  const Value gradient = options_.maximize ? neg(step.gradient) : step.gradient;
  Value direction = decayed(gradient, step.value, step.weight_decay);
  const double momentum = step.option(&ParameterGroup::momentum, options_.momentum);
  if (momentum == 0) return {move(step, direction)};
  Value fresh = direction;
  std::vector<Value> more;
  if (options_.dampening != 0) {
    // A parameter's first gradient is not dampened: `begun` is 0 in that step, and then 1.
    const Value begun = slot(step, "begun");
    fresh = add(fresh, mul(begun, fresh), -options_.dampening);
    const Value one = step.graph.constant(Tensor::scalar(1, begun.dtype()));
    more.push_back(assign(begun, one));
  }
  const Value velocity = accumulate(slot(step, "velocity"), fresh, momentum);
  direction = options_.nesterov ? add(direction, velocity, momentum) : velocity;
  more.insert(more.begin(), move(step, direction));
  return more;
}

RmsProp::RmsProp(const RmsPropOptions& options, std::vector<ParameterGroup> groups)
    : Optimizer(Kind{.name = "RmsProp", .momentum = true, .epsilon = true}, options,
                std::move(groups)),
      options_(options) {
  detail::require_option("RmsProp", "alpha", options.alpha, detail::kBelowOne);
  detail::require_option("RmsProp", "epsilon", options.epsilon, detail::kNotNegative);
  detail::require_option("RmsProp", "momentum", options.momentum, detail::kUnit);
}

std::vector<Value> RmsProp::update(const Step& step) {
  const auto average = [&](const char* name, const Value& x) {
    return accumulate(slot(step, name), mul(x, 1 - options_.alpha), options_.alpha);
  };
  const Value gradient = decayed(step.gradient, step.value, step.weight_decay);
  Value spread = average("square_average", mul(gradient, gradient));
  if (options_.centered) {
    const Value mean = average("average", gradient);
    spread = sub(spread, mul(mean, mean));
    spread = clamp(spread, {.min = 0});  // rounding can leave less
  }
  const double epsilon = step.option(&ParameterGroup::epsilon, options_.epsilon);
  const double momentum = step.option(&ParameterGroup::momentum, options_.momentum);
  Value direction = div(gradient, add(sqrt(spread), epsilon));
  if (momentum != 0) {
    direction = accumulate(slot(step, "velocity"), direction, momentum);
  }
  return {move(step, direction)};
}

Lion::Lion(const LionOptions& options, std::vector<ParameterGroup> groups)
    : Optimizer(Kind{.name = "Lion", .betas = true}, options, std::move(groups)),
      options_(options) {
  detail::require_option("Lion", "beta1", options.beta1, detail::kBelowOne);
  detail::require_option("Lion", "beta2", options.beta2, detail::kBelowOne);
}

std::vector<Value> Lion::update(const Step& step) {
  const double beta1 = step.option(&ParameterGroup::beta1, options_.beta1);
  const double beta2 = step.option(&ParameterGroup::beta2, options_.beta2);
  const Value momentum = slot(step, "momentum");
  const Value mixed = add(mul(momentum, beta1), step.gradient, 1 - beta1);
  const Value direction = decayed(sign(mixed), step.value, step.weight_decay);
  const Value moved = move(step, direction);
  const Value fresh = mul(step.gradient, 1 - beta2);
  return {moved, accumulate(momentum, fresh, beta2)};
}

}  // namespace aclgrad
