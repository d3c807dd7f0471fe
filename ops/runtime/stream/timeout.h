// SPDX-License-Identifier: Apache-2.0
// Timeouts as programs give them: milliseconds, -1 for ever.
#pragma once

#include "ops/runtime/call/call.h"
#include "ops/runtime/stream/stream.h"

namespace aclgrad::runtime {

// 0 and what is below -1 is an error, 107000 unless the call answers with another status.
inline void check_timeout(const Call& call, int32_t timeout,
                          aclError status = ACL_ERROR_RT_PARAM_INVALID) {
  if (timeout > 0 || timeout == -1) return;
  call.bad_value(status, "timeout", timeout, "milliseconds above 0, or -1");
}

inline Deadline deadline_after(int32_t timeout) {
  if (timeout < 0) return {};
  return std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout);
}

}  // namespace aclgrad::runtime
