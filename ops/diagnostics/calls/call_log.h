// SPDX-License-Identifier: Apache-2.0
// The call log: a line for phase one, phase two and the run of every operator call, as text or as
// JSON (ACLGRAD_LOG). The lines of a call carry its number.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>

#include "aclgrad_ext.h"
#include "ops/meta/hooks.h"

namespace aclgrad::diagnostics {

using LogClock = std::chrono::steady_clock;

// The checks that follow the lives of objects.
constexpr uint32_t kObjectChecks =
    ACLGRAD_CHECK_HANDLES | ACLGRAD_CHECK_LEAKS | ACLGRAD_CHECK_PHASES;

inline bool is_on(uint32_t any_of) { return (aclgradEnabledChecks() & any_of) != 0; }

inline const aclgradDiagnostics& diagnostics() { return *aclgradGetDiagnostics(); }

// Phase one, which began at `begun`; call 0 when it failed.
void log_plan(const ops::OperatorSpec& spec, std::span<const ops::Argument> arguments,
              aclnnStatus status, uint64_t call, uint64_t workspace_size,
              LogClock::time_point begun);

// Phase two; call 0 when the executor was none.
void log_launch(const char* name, uint64_t call, uint64_t workspace_size, aclrtStream stream,
                aclnnStatus status, LogClock::time_point begun);

// The launch of a task that logs its runs. It is not cut into units, so that its time is its own.
ops::Launch with_log(const ops::Launch& launch, uint64_t call);

}  // namespace aclgrad::diagnostics
