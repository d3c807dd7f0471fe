// SPDX-License-Identifier: Apache-2.0
// What the optimizers share.
#ifndef ACLGRAD_FRAMEWORK_OPTIM_SUPPORT_H_
#define ACLGRAD_FRAMEWORK_OPTIM_SUPPORT_H_

#include <optional>
#include <source_location>
#include <string>

#include "aclgrad/graph.h"
#include "aclgrad/variable.h"

namespace aclgrad::detail {

/// The variable that a value of `graph` is. Throws ValueError, naming the value, when it is none or
/// of another graph.
const Variable& variable_to_update(const Graph& graph, const Value& value);

Tensor zeros_like(const Variable& variable);

/// The variable that holds a scheduled learning rate, of rank 0; none for a fixed one.
std::optional<Variable> rate_variable(const std::string& name, double rate, bool scheduled);

/// Throws ValueError for a rate that is fixed.
void set_rate(const std::optional<Variable>& variable, double rate);

/// parameter += factor rate direction, with the rate of a variable.
Value add_scaled(Graph& graph, const Value& parameter, const Value& direction, const Variable& rate,
                 double factor, std::source_location where);

}  // namespace aclgrad::detail

#endif  // ACLGRAD_FRAMEWORK_OPTIM_SUPPORT_H_
