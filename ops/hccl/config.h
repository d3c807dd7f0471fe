// SPDX-License-Identifier: Apache-2.0
// What a communicator is set to.
#ifndef ACLGRAD_OPS_HCCL_CONFIG_H_
#define ACLGRAD_OPS_HCCL_CONFIG_H_

#include <string>

#include "ops/hccl/call.h"

namespace aclgrad::hccl {

struct Settings {
  std::string name = {};  // "": to be made up
  Timeout exec_timeout;
  std::chrono::milliseconds connect_timeout;
};

// From the environment: HCCL_EXEC_TIMEOUT, and HCCL_CONNECT_TIMEOUT unless
// ACLGRAD_HCCL_CONNECT_TIMEOUT gives another number of seconds. Variables of the vendor's that are
// about transport have no effect. Throws a Failure (HCCL_E_PARA) that names a bad variable.
Settings default_settings();

// Those, changed by what the config sets; it may be of an older or newer version than ours. Throws
// a Failure (HCCL_E_PARA) for null and for bad values.
Settings settings_from(const HcclCommConfig* config, Settings settings);

}  // namespace aclgrad::hccl

#endif  // ACLGRAD_OPS_HCCL_CONFIG_H_
