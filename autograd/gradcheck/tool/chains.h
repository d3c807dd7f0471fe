// SPDX-License-Identifier: Apache-2.0
// The gradients that are made of calls of other operators, for those that have no gradient
// operator.
#pragma once

#include "gradcheck/tool/catalogue.h"

namespace aclgrad::gradcheck::detail {

/// Gives the target its backward and what that may lose to rounding, where there is one by the name
/// under which the operator is checked.
void add_chain(const LibraryPointer& library, Target& target);

}  // namespace aclgrad::gradcheck::detail
