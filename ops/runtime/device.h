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

// 107001 when it is none.
inline void require_device(const Call& call, const char* parameter, int64_t device) {
  if (device >= 0 && device < device_count()) return;
  call.bad_value(ACL_ERROR_RT_INVALID_DEVICEID, parameter, device,
                 "0 or more and less than what aclrtGetDeviceCount tells");
}

// Whether the device's default context exists.
bool is_device_set(int32_t device);

// Ends every device that is set, after its work. 207000 from inside a task.
void release_all_devices(const Call& call);

// Waits for what is queued on the device now, 507046 when the deadline passes; returns the status
// of the first task that failed, whose message is left.
aclError wait_for_device(const Call& call, int32_t device, Deadline deadline);

// Bytes of memory of the device, and cores it may use.
size_t device_memory();
int64_t device_cores();

// Ends the call with the failure that a task has left on the stream, reported once, if there is
// one.
void report_task_failure(const Call& call, Stream& stream);

// The error of waiting, inside a task, for the stream that runs the task.
[[noreturn]] void inside_own_task(const Call& call);

// The error of waiting for a stream that is frozen because the process ends.
[[noreturn]] void process_ends(const Call& call);

// Ends the call unless what was waited for is done. late() ends it when the deadline has passed.
template <class Late>
void check_waited(const Call& call, Stream::WaitResult result, const Late& late) {
  if (result == Stream::WaitResult::kDone) return;
  if (result == Stream::WaitResult::kTimeout) late();
  if (result == Stream::WaitResult::kInsideOwnTask) inside_own_task(call);
  process_ends(call);
}

}  // namespace aclgrad::runtime

#endif  // ACLGRAD_OPS_RUNTIME_DEVICE_H_
