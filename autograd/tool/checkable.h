// SPDX-License-Identifier: Apache-2.0
// The largest tensors that the tool checks.
#ifndef ACLGRAD_AUTOGRAD_TOOL_CHECKABLE_H_
#define ACLGRAD_AUTOGRAD_TOOL_CHECKABLE_H_

#include <string>

#include "aclgrad/gradcheck_numbers.h"

namespace aclgrad::gradcheck {

/// Throws ValueError when tensors of this shape are too large: exact values take 16 bytes an
/// element, and there are many of them.
void require_checkable(const std::string& what, const Dims& shape);

}  // namespace aclgrad::gradcheck

#endif  // ACLGRAD_AUTOGRAD_TOOL_CHECKABLE_H_
