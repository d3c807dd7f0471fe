// SPDX-License-Identifier: Apache-2.0
// Checks of what a task or a call touches: memory that is not the caller's, memory that was never
// written, and memory that an output shares with another operand.
#pragma once

#include <string>
#include <vector>

#include "ops/diagnostics/task_info.h"
#include "ops/runtime/call/call.h"

namespace aclgrad::diagnostics {

// When the task is queued. An output may be exactly an input, the same elements in the same places;
// whatever else it shares, an operator may write before it is read.
void check_overlap(const TaskInfo& info) noexcept;

// Just before and after the task runs. Says why it must not run; empty when it may.
std::string check_before(const TaskInfo& info) noexcept;
void check_after(const TaskInfo& info) noexcept;

// Before a call that touches memory at once: ends it with 107000 when it must not.
void check_host_accesses(const runtime::Call& call, const std::vector<Access>& accesses);

// The allocation is about to go away, whatever still uses it.
void check_free(void* address) noexcept;

}  // namespace aclgrad::diagnostics
