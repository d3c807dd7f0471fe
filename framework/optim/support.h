// SPDX-License-Identifier: Apache-2.0
// What the optimizers share.
#ifndef ACLGRAD_FRAMEWORK_OPTIM_SUPPORT_H_
#define ACLGRAD_FRAMEWORK_OPTIM_SUPPORT_H_

#include "aclgrad/graph.h"
#include "aclgrad/variable.h"

namespace aclgrad::detail {

/// The variable that a value of `graph` is. Throws ValueError, naming the value, when it is none or
/// of another graph.
const Variable& variable_to_update(const Graph& graph, const Value& value);

Tensor zeros_like(const Variable& variable);

}  // namespace aclgrad::detail

#endif  // ACLGRAD_FRAMEWORK_OPTIM_SUPPORT_H_
