// SPDX-License-Identifier: Apache-2.0
// Devices: how many there are, how often each is set, and what goes away with one.
#ifndef ACLGRAD_OPS_RUNTIME_DEVICE_H_
#define ACLGRAD_OPS_RUNTIME_DEVICE_H_

#include <cstddef>
#include <cstdint>

#include "ops/runtime/call.h"
#include "ops/runtime/stream.h"

namespace aclgrad::runtime {

int32_t device_count();

inline bool is_device(int64_t device) { return device >= 0 && device < device_count(); }

// Whether the device's default context exists.
bool is_device_set(int32_t device);

// Ends every device that is set, after its work. 207000 from inside a task.
aclError release_all_devices(const Call& call);

// Waits for what is queued on the device now; the status of the first failed task, 507046 when the
// deadline passes. `is_over` (may be null) tells whether that work is over, be it that some failed.
aclError synchronize_device(const Call& call, int32_t device, Deadline deadline,
                            bool* is_over = nullptr);

// Bytes of memory of the device, and cores it may use.
size_t device_memory();
int64_t device_cores();

// The failure that a task has left on the stream, reported once, or success.
aclError report_task_failure(const Call& call, Stream& stream);

// The error of waiting, inside a task, for the stream that runs the task.
aclError inside_own_task(const Call& call);

// The error of waiting for a stream that is frozen because the process ends.
aclError process_ends(const Call& call);

}  // namespace aclgrad::runtime

#endif  // ACLGRAD_OPS_RUNTIME_DEVICE_H_
