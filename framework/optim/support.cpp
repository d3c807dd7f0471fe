// SPDX-License-Identifier: Apache-2.0
#include "optim/support.h"

#include <fmt/format.h>

#include "aclgrad/error.h"
#include "aclgrad/format.h"

namespace aclgrad::detail {

const Variable& variable_to_update(const Graph& graph, const Value& value) {
  if (!(value.graph() == graph)) {
    throw ValueError(fmt::format("{} belongs to another graph", value.description()));
  }
  const Variable* variable = value.variable();
  if (variable == nullptr) {
    throw ValueError(fmt::format("cannot update {}: it is not a variable", value.description()));
  }
  if (!is_floating(value.dtype())) {
    throw DTypeError(fmt::format("cannot update {}: it is {}, which has no gradient",
                                 value.description(), value.dtype()));
  }
  return *variable;
}

}  // namespace aclgrad::detail
