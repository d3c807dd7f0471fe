// SPDX-License-Identifier: Apache-2.0
// Whether accesses to the same memory are ordered. Streams have clocks: vectors that say how many
// tasks of every other stream lie before. Events and synchronising calls carry clocks from one to
// another, as they do in race detectors for threads.
//
// All threads of the program count as one, the host: what orders them (mutexes, joins) is not seen.
// What the host knows to be over can disturb nothing later, and is forgotten.
#pragma once

#include <vector>

#include "ops/diagnostics/task_info.h"

namespace aclgrad::diagnostics {

// Stream::submit, with the task entered into the order, behind the record that it awaits (null:
// none), and its accesses checked: in a replay, those of the model's tasks.
aclError submit_in_order(Stream& stream, Task task, uint64_t* ticket,
                         const runtime::EventRecord* awaits);

// The host knows that the stream's tasks up to the ticket are over.
void host_waited(int32_t stream, uint64_t ticket) noexcept;
// What the host function of the task tells to the program is known to the host.
void reached_by_host(const TaskInfo& info) noexcept;

// The stream is over, and the host knows it.
void stream_closed(int32_t stream) noexcept;

// Reports accesses of streams that a call which touches memory at once does not come after.
void check_order_of_host(const char* function, const std::vector<Access>& accesses,
                         const CallSite& call_site) noexcept;

// The order inside a recording: the clock of each task when it is recorded, then all of them.
void task_recorded(const Task& task, int32_t stream, const VectorClock& clock) noexcept;
void check_recording(const std::vector<Task>& tasks) noexcept;

}  // namespace aclgrad::diagnostics
