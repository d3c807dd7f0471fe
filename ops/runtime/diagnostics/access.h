// SPDX-License-Identifier: Apache-2.0
// Checks of single accesses: memory that is not the caller's to touch, and memory that nobody
// wrote.
#ifndef ACLGRAD_OPS_RUNTIME_DIAGNOSTICS_ACCESS_H_
#define ACLGRAD_OPS_RUNTIME_DIAGNOSTICS_ACCESS_H_

#include <string>
#include <vector>

#include "ops/runtime/call.h"
#include "ops/runtime/diagnostics/task_note.h"

namespace aclgrad::runtime::diagnostics {

// Just before and after the task runs. Says why it must not run; empty when it may.
std::string check_before(const TaskNote& note) noexcept;
void check_after(const TaskNote& note) noexcept;

// Before a call that touches memory at once: 107000 when it must not, which has been reported.
aclError check_host_accesses(const Call& call, const std::vector<Access>& accesses);

// aclrtFree is about to take the allocation away, whatever still uses it.
void check_free(void* address) noexcept;

}  // namespace aclgrad::runtime::diagnostics

#endif  // ACLGRAD_OPS_RUNTIME_DIAGNOSTICS_ACCESS_H_
