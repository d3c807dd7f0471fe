// SPDX-License-Identifier: Apache-2.0
// Devices: how many there are and what each has. All are this machine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ops/runtime/call/call.h"

namespace aclgrad::runtime {

inline constexpr int32_t kMaxDevices = 16;

int32_t device_count();
// At least so many, up to kMaxDevices.
void ensure_devices(int32_t count);

// 107001 when it is none.
inline void require_device(const Call& call, const char* parameter, int64_t device) {
  if (device >= 0 && device < device_count()) return;
  call.bad_value(ACL_ERROR_RT_INVALID_DEVICEID, parameter, device,
                 "0 or more and less than what aclrtGetDeviceCount tells");
}

// Bytes of memory of the device, and cores it may use.
size_t device_memory();
int64_t device_cores();

}  // namespace aclgrad::runtime
