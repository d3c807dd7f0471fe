// SPDX-License-Identifier: Apache-2.0
// Foreign functions, as they are read, as the pair of functions that gradcheck takes.
#ifndef ACLGRAD_AUTOGRAD_TOOL_HEADER_PAIR_H_
#define ACLGRAD_AUTOGRAD_TOOL_HEADER_PAIR_H_

#include "aclgrad/gradcheck_functions.h"
#include "tool/header/reading.h"

namespace aclgrad::gradcheck {

/// Arrays are of one dimension. Elements that both functions leave alone, as those between rows
/// that are further apart than they are long, are 0 in outputs and gradients. Both functions, and
/// the reading, outlive it.
FunctionPair pair_of(const ForeignFunction& forward, const ForeignFunction& backward,
                     const Reading& reading, const Corrections& corrections);

}  // namespace aclgrad::gradcheck

#endif  // ACLGRAD_AUTOGRAD_TOOL_HEADER_PAIR_H_
