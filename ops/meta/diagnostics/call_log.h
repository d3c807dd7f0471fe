// SPDX-License-Identifier: Apache-2.0
// The call log: a line for phase one, phase two and the run of every operator call, as text or as
// JSON (ACLGRAD_LOG). The lines of a call carry its number.
#ifndef ACLGRAD_OPS_META_DIAGNOSTICS_CALL_LOG_H_
#define ACLGRAD_OPS_META_DIAGNOSTICS_CALL_LOG_H_

#include <chrono>
#include <span>

#include "ops/meta/diagnostics/call_note.h"

namespace aclgrad::ops {

using LogClock = std::chrono::steady_clock;

// Phase one, which began at `begun`; executor is null when it failed.
void log_plan(const OperatorSpec& spec, std::span<const Argument> arguments, aclnnStatus status,
              const aclOpExecutor* executor, LogClock::time_point begun);

// Phase two; call 0 when the executor was none.
void log_launch(const char* name, uint64_t call, uint64_t workspace_size, aclrtStream stream,
                aclnnStatus status, LogClock::time_point begun);

// The launch of a task that logs its runs, if the log is on. Such a task is not cut into units, so
// that its time is its own.
NotedLaunch with_log(const aclOpExecutor& executor, const NotedLaunch& launch);

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_META_DIAGNOSTICS_CALL_LOG_H_
