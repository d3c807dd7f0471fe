// SPDX-License-Identifier: Apache-2.0
// Where the call log goes (ACLGRAD_LOG): to standard error, or to the end of the file that
// ACLGRAD_LOG_FILE names. What its lines say is made in ops/meta/diagnostics/call_log.h.
#ifndef ACLGRAD_OPS_RUNTIME_DIAGNOSTICS_CALL_LOG_H_
#define ACLGRAD_OPS_RUNTIME_DIAGNOSTICS_CALL_LOG_H_

#include <cstdint>

namespace aclgrad::runtime::diagnostics {

uint64_t next_call_number() noexcept;

// Writes the line in one piece; text lines get "aclgrad: " in front.
void write_log(const char* line) noexcept;

}  // namespace aclgrad::runtime::diagnostics

#endif  // ACLGRAD_OPS_RUNTIME_DIAGNOSTICS_CALL_LOG_H_
