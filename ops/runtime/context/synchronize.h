// SPDX-License-Identifier: Apache-2.0
// Waiting for streams, and the failures that their tasks have left.
#pragma once

#include <cstdint>

#include "ops/runtime/call/call.h"
#include "ops/runtime/stream/stream.h"

namespace aclgrad::runtime {

class Context;  // context.h

// Waits for what is queued on the device now, 507046 when the deadline passes; returns the status
// of the first task that failed, whose message is left.
aclError wait_for_device(const Call& call, int32_t device, Deadline deadline);

// Before memory is touched at once, outside any stream: streams that this thread works with first
// finish what is queued and only computes. It promises nothing, as a stream may wait for an event
// or the program, but programs that are used to a device which is quick to begin get what they wait
// for. Streams of other threads go on beside it.
void finish_computing(const Context& context);

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
