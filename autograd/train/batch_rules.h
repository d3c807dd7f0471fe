// SPDX-License-Identifier: Apache-2.0
// What single operators make of the examples of a batch, for BatchRoles.
#ifndef ACLGRAD_AUTOGRAD_TRAIN_BATCH_RULES_H_
#define ACLGRAD_AUTOGRAD_TRAIN_BATCH_RULES_H_

#include <string>
#include <typeinfo>

#include "train/batch_roles.h"

namespace aclgrad::detail {

template <class... Ops>
bool is_any(const Node& node) {
  const Op& op = *node.op;
  return ((typeid(op) == typeid(Ops)) || ...);
}

/// One input, of which the result is a linear function, whatever else is the same.
bool is_linear_map(const Node& node);

/// A role with this obstacle.
Role blocked(const Node& node, const std::string& why);

/// Of a result along whose axis the examples lie, made of examples.
Role examples_of(const BatchRoles& roles, const Node& node, const Value& result, std::size_t axis);

/// Of one that is made of all examples together.
Role reduction_of(const BatchRoles& roles, const Node& node, std::size_t output);

/// Of one that is made of such totals.
Role total_of(const BatchRoles& roles, const Node& node, const Value& result,
              BatchRoles::Growth grown, std::size_t axis);

/// Of one that does not depend on the batch, but for its extents.
Role fixed_of(const BatchRoles& roles, const Node& node, BatchRoles::Growth grown,
              std::size_t axis);

}  // namespace aclgrad::detail

#endif  // ACLGRAD_AUTOGRAD_TRAIN_BATCH_RULES_H_
