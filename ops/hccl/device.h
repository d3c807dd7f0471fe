// SPDX-License-Identifier: Apache-2.0
// The calling thread's device, and checks that many entry points share.
#ifndef ACLGRAD_OPS_HCCL_DEVICE_H_
#define ACLGRAD_OPS_HCCL_DEVICE_H_

#include <cstdint>
#include <optional>

#include "acl/acl.h"
#include "ops/hccl/call.h"

namespace aclgrad::hccl {

// Nothing when none is set.
inline std::optional<int32_t> current_device() {
  int32_t device = 0;
  if (aclrtGetDevice(&device) != ACL_SUCCESS) return {};
  return device;
}

inline HcclResult not_live(const Call& call, HcclComm comm) {
  return call.failed(
      HCCL_E_PARA,
      fmt::format("argument comm ({}) is not a live communicator of this device", comm),
      "It was destroyed already, belongs to another device, or is a handle of another kind.");
}

}  // namespace aclgrad::hccl

#endif  // ACLGRAD_OPS_HCCL_DEVICE_H_
