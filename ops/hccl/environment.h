// SPDX-License-Identifier: Apache-2.0
// Environment variables. Those of the vendor's that are about transport have no effect.
#ifndef ACLGRAD_OPS_HCCL_ENVIRONMENT_H_
#define ACLGRAD_OPS_HCCL_ENVIRONMENT_H_

#include <chrono>
#include <cstdint>
#include <optional>

#include "ops/hccl/group.h"

namespace aclgrad::hccl {

struct Environment {
  // HCCL_DETERMINISTIC: false, true, strict; nothing when it is not set.
  std::optional<uint32_t> deterministic;
  // HCCL_CONNECT_TIMEOUT, unless ACLGRAD_HCCL_CONNECT_TIMEOUT gives another number of seconds.
  std::chrono::milliseconds connect_timeout;
  // HCCL_EXEC_TIMEOUT.
  Patience exec_timeout;
};

// As it is now. Throws a Failure (HCCL_E_PARA) that names a variable with a bad value.
Environment read_environment();

// HCCL_DETERMINISTIC alone, whatever is wrong with the others.
bool has_deterministic_variable();

}  // namespace aclgrad::hccl

#endif  // ACLGRAD_OPS_HCCL_ENVIRONMENT_H_
