// SPDX-License-Identifier: Apache-2.0
// How often each device is set, and what goes away with one.
#pragma once

#include <cstdint>

#include "ops/runtime/call/call.h"

namespace aclgrad::runtime {

// Whether the device's default context exists.
bool is_device_set(int32_t device);

// Ends every device that is set, after its work. 207000 from inside a task.
void release_all_devices(const Call& call);

}  // namespace aclgrad::runtime
