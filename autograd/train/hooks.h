// SPDX-License-Identifier: Apache-2.0
// Values of a graph by the names that people know them by.
#ifndef ACLGRAD_AUTOGRAD_TRAIN_HOOKS_H_
#define ACLGRAD_AUTOGRAD_TRAIN_HOOKS_H_

#include <string>
#include <vector>

#include "aclgrad/gradients.h"
#include "aclgrad/graph.h"

namespace aclgrad::detail {

/// The value's name; where it has none "elu(hidden)", after what it is made of, or the place in the
/// program, which a loop over time has once.
std::string name_of(const Value& value);

/// Of the values that `loss` depends on those of this name, in the order of recording. Throws
/// ValueError, with the names that there are, where there is none.
std::vector<Value> values_behind(const Value& loss, const std::string& name);

/// Those of `all` for these values, as far as there are any.
Gradients gradients_for(const std::vector<Value>& values, const Gradients& all);

}  // namespace aclgrad::detail

#endif  // ACLGRAD_AUTOGRAD_TRAIN_HOOKS_H_
