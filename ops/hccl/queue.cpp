// SPDX-License-Identifier: Apache-2.0
// From a call to a task on a stream.
#include <utility>

#include "aclgrad_ext.h"
#include "hccl/hccl.h"
#include "ops/hccl/communicator.h"
#include "ops/threads/thread_guards.h"

namespace aclgrad::hccl {
namespace {

// What the stream holds.
struct QueuedOperation {
  const std::shared_ptr<Communicator> communicator;
  Operation operation;
  const bool is_recorded;  // else it runs once, and is waited for from now on
  Number number = {};
};

void give_numbers(QueuedOperation& queued) {
  Communicator& communicator = *queued.communicator;
  if (!is_transfer(queued.operation.kind)) {
    queued.number = communicator.number_collective(queued.is_recorded);
  }
  for (Transfer& each : queued.operation.transfers) {
    each.number = communicator.number_transfer(each.peer, each.is_send, queued.is_recorded);
  }
}

// The next replay meets the next one of the other ranks.
void count_replay(QueuedOperation& queued) {
  ++queued.number.run;
  for (Transfer& each : queued.operation.transfers) ++each.number.run;
}

Outcome perform(QueuedOperation& queued) noexcept {
  try {
    return queued.communicator->perform(queued.operation, queued.number);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::exception& error) {
    return {HCCL_E_INTERNAL, error.what()};
  }
}

void explain(const Communicator& communicator, const Outcome& outcome) noexcept {
  try {
    const std::string text = fmt::format("rank {}: {} ({})", communicator.rank(), outcome.text,
                                         HcclGetErrorString(outcome.result));
    aclgradExplainFailure(text.c_str());
  } catch (const std::exception&) {
    // Out of memory while telling of an error: the status alone has to do.
  }
}

// Perhaps on a thread of the program that waits for the stream. It cannot be cancelled meanwhile:
// the other ranks count on what it has begun, and on the buffers.
aclError run(void* argument) {
  const NotCancellable whole;
  auto& queued = *static_cast<QueuedOperation*>(argument);
  if (queued.is_recorded) queued.communicator->begin_task();
  const Outcome outcome = perform(queued);
  if (queued.is_recorded) {
    count_replay(queued);
    queued.communicator->end_task();
  }
  if (outcome.ok()) return ACL_SUCCESS;
  explain(*queued.communicator, outcome);
  return outcome.result == HCCL_E_MEMORY ? ACL_ERROR_RT_MEMORY_ALLOCATION
                                         : ACL_ERROR_RT_INTERNAL_ERROR;
}

void release(void* argument) {
  const std::unique_ptr<QueuedOperation> queued(static_cast<QueuedOperation*>(argument));
  if (!queued->is_recorded) queued->communicator->end_task();
}

bool is_captured(aclrtStream stream) {
  aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
  aclmdlRI model = nullptr;
  return aclmdlRICaptureGetInfo(stream, &status, &model) == ACL_SUCCESS &&
         status != ACL_MODEL_RI_CAPTURE_STATUS_NONE;
}

}  // namespace

void queue(const std::shared_ptr<Communicator>& communicator, aclrtStream stream,
           Operation operation) {
  const int32_t device = current_device();
  if (device != communicator->device()) {
    throw Failure(
        HCCL_E_PARA,
        fmt::format("argument comm belongs to device {}, the calling thread's device is {}",
                    communicator->device(), device),
        "Call aclrtSetDevice with the communicator's device first.");
  }
  // Before the operation has a number: the ranks must go on counting alike.
  int32_t id = 0;
  if (aclrtStreamGetId(stream, &id) != ACL_SUCCESS) {
    throw Failure(HCCL_E_PARA, fmt::format("argument stream ({}) is not a live stream of device {}",
                                           stream, device));
  }
  const char* const name = name_of(operation.kind);
  const bool is_recorded = is_captured(stream);
  std::unique_ptr<QueuedOperation> queued(
      new QueuedOperation{communicator, std::move(operation), is_recorded});
  give_numbers(*queued);
  if (!is_recorded) communicator->begin_task();
  if (aclgradLaunchTask(stream, name, run, queued.release(), release) != ACL_SUCCESS) {
    throw Failure(HCCL_E_RUNTIME, "the stream could not queue the operation");
  }
  if (!is_recorded) aclgradHurryStream(stream);  // the other ranks wait for it
}

}  // namespace aclgrad::hccl
