// SPDX-License-Identifier: Apache-2.0
// Outputs that share memory with another tensor of the same call. An output may be exactly an
// input, the same elements in the same places; whatever else it shares, an operator may write
// before it is read.
#ifndef ACLGRAD_OPS_RUNTIME_DIAGNOSTICS_OVERLAP_H_
#define ACLGRAD_OPS_RUNTIME_DIAGNOSTICS_OVERLAP_H_

#include <span>

#include "ops/runtime/diagnostics/task_note.h"

namespace aclgrad::runtime::diagnostics {

// Whether element i of the one is element i of the other, for all of them.
bool is_same_view(const aclgradTaskOperand& a, const aclgradTaskOperand& b);

// Of a task that is queued now; the operands are those of the note's accesses.
void check_overlap(const TaskNote& note, std::span<const aclgradTaskOperand> operands) noexcept;

}  // namespace aclgrad::runtime::diagnostics

#endif  // ACLGRAD_OPS_RUNTIME_DIAGNOSTICS_OVERLAP_H_
