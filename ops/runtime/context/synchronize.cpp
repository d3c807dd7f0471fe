// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/context/synchronize.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "ops/runtime/capture/capture.h"
#include "ops/runtime/context/context.h"

namespace aclgrad::runtime {
namespace {

aclError take_task_failure(const Call& call, Stream& stream) {
  const TaskFailure failure = stream.take_failure();
  if (failure.status == ACL_SUCCESS) return ACL_SUCCESS;
  return call.report(failure.status, failure.message,
                     "The task ran, and failed, after the call that queued it had returned.");
}

}  // namespace

aclError wait_for_device(const Call& call, int32_t device, Deadline deadline) {
  refuse_captured_on(call, device);
  const auto on_device =
      streams().select([&](const Stream& stream) { return stream.settings().device == device; });
  std::vector<uint64_t> tickets;
  tickets.reserve(on_device.size());
  for (const auto& stream : on_device) tickets.push_back(stream->submitted());
  // While this thread does the work of one, the others need not wait for their turn.
  const auto is_pending = [&](size_t i) { return !on_device[i]->is_done(tickets[i]); };
  size_t first_pending = 0;
  while (first_pending < on_device.size() && !is_pending(first_pending)) ++first_pending;
  for (size_t i = first_pending + 1; i < on_device.size(); ++i) {
    if (is_pending(i)) on_device[i]->wake();
  }
  for (size_t i = 0; i < on_device.size(); ++i) {
    check_waited(call, on_device[i]->wait(tickets[i], deadline), [&] {
      call.failed(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                  fmt::format("work on device {} took longer than the timeout", device), "",
                  "The work goes on; synchronise again to wait for it.");
    });
  }
  aclError first = ACL_SUCCESS;
  for (const auto& stream : on_device) {
    const aclError status = take_task_failure(call, *stream);
    if (first == ACL_SUCCESS) first = status;
  }
  return first;
}

void finish_computing(const Context& context) {
  const auto is_pending = [&](const Stream& stream) {
    return stream.settings().context == context.id() && stream.has_work_of_this_thread();
  };
  struct Pending {
    std::shared_ptr<Stream> stream;
    uint64_t ticket;
  };
  std::vector<Pending> all;
  for (auto& stream : streams().select(is_pending)) {
    const uint64_t ticket = stream->submitted();
    all.push_back({std::move(stream), ticket});
  }
  // What one stream does may open the latch that another waits at.
  const auto run_ahead = [](const Pending& each) { return each.stream->run_ahead(each.ticket); };
  while (std::ranges::count_if(all, run_ahead) > 0) {
  }
}

void report_task_failure(const Call& call, Stream& stream) {
  if (const aclError status = take_task_failure(call, stream)) throw Failure{status};
}

void inside_own_task(const Call& call) {
  call.unsupported("a task or callback cannot wait for the stream that runs it",
                   "Synchronise from a thread of the program.");
}

void process_ends(const Call& call) {
  call.failed(ACL_ERROR_RT_STREAM_ABORT,
              "the process ends, and the stream's remaining work is not done",
              "The program returned from main, or called exit, with work in its streams.",
              "Synchronise before the program ends.");
}

}  // namespace aclgrad::runtime
