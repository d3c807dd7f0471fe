// SPDX-License-Identifier: Apache-2.0
#include "optim/support.h"

#include <fmt/format.h>

#include "aclgrad/error.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/fill.h"
#include "aclgrad/ops/update.h"

namespace aclgrad::detail {

const Variable& variable_to_update(const Graph& graph, const Value& value) {
  if (!(value.graph() == graph)) {
    throw ValueError(fmt::format("{} belongs to another graph", value.description()));
  }
  const Variable* variable = value.variable();
  if (variable == nullptr) {
    throw ValueError(fmt::format("cannot update {}: it is not a variable", value.description()));
  }
  return *variable;
}

Tensor zeros_like(const Variable& variable) {
  return Tensor::zeros(variable.shape(), variable.dtype());
}

std::optional<Variable> rate_variable(const std::string& name, double rate, bool scheduled) {
  if (!scheduled) return std::nullopt;
  return Variable(name, Tensor::scalar(rate));
}

void set_rate(const std::optional<Variable>& variable, double rate) {
  if (!variable) {
    throw ValueError(
        "the learning rate is fixed: make the optimizer with `scheduled` to change it");
  }
  variable->assign(Tensor::scalar(rate));
}

Value add_scaled(Graph& graph, const Value& parameter, const Value& direction, const Variable& rate,
                 double factor, std::source_location where) {
  const Value scale = cast(graph.parameter(rate, where), parameter.dtype(), where);
  return inplace_add(parameter, mul(direction, scale, where), factor, where);
}

}  // namespace aclgrad::detail
