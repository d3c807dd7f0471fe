// SPDX-License-Identifier: Apache-2.0
// What the tool does with a subject: forward against the formula, backward against the forward's
// derivative, every argument that must be refused.
#ifndef ACLGRAD_AUTOGRAD_TOOL_CHECKS_H_
#define ACLGRAD_AUTOGRAD_TOOL_CHECKS_H_

#include "tool/catalogue.h"

namespace aclgrad::gradcheck {

/// One form of the forward in some of its dtypes and in every layout: all results in ulp of the
/// exact ones, memory around them untouched, the same bits in every layout, run and number of
/// threads.
Report check_forward(Library& library, const Subject& subject, const EntryPoint& form,
                     const DTypes& dtypes, const Options& options);

/// Every documented status: null pointers, dtypes, shapes, ranks, attributes; and success for what
/// is right.
Report check_statuses(Library& library, const Subject& subject, const EntryPoint& entry);

}  // namespace aclgrad::gradcheck

#endif  // ACLGRAD_AUTOGRAD_TOOL_CHECKS_H_
