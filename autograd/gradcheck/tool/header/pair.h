// SPDX-License-Identifier: Apache-2.0
// Foreign functions of which it is known what their parameters are, as the pair that gradcheck
// takes.
#pragma once

#include "aclgrad/gradcheck/functions.h"
#include "gradcheck/tool/header/roles.h"

namespace aclgrad::gradcheck {

/// Arrays are of one dimension. Elements of outputs that the forward leaves alone, as those between
/// rows that are further apart than they are long, are 0. Both functions outlive it. Throws
/// ValueError for float numbers that are returned or arrive beside double arrays.
FunctionPair pair_of(const std::string& name, const ForeignFunction& forward,
                     const ForeignFunction& backward, const Roles& roles, const Reach& reach,
                     const Description& description);

}  // namespace aclgrad::gradcheck
