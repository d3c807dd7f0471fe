// SPDX-License-Identifier: Apache-2.0
// What the tool does with a subject: forward against the formula, backward against the forward's
// derivative, every argument that must be refused.
#ifndef ACLGRAD_AUTOGRAD_TOOL_CHECKS_H_
#define ACLGRAD_AUTOGRAD_TOOL_CHECKS_H_

#include "tool/catalogue.h"

namespace aclgrad::gradcheck {

/// The forward's first output in every dtype and layout, in ulp of the exact result.
Report check_forward(Library& library, const Subject& subject, const Options& options);

/// Every documented status: null pointers, dtypes, shapes, ranks, attributes; and success for what
/// is right.
Report check_statuses(Library& library, const Subject& subject, const EntryPoint& entry);

}  // namespace aclgrad::gradcheck

#endif  // ACLGRAD_AUTOGRAD_TOOL_CHECKS_H_
