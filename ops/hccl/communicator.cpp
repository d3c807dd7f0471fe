// SPDX-License-Identifier: Apache-2.0
#include "ops/hccl/communicator.h"

#include <unordered_map>
#include <utility>

#include "aclgrad_ext.h"
#include "hccl/hccl.h"
#include "ops/threads/thread_guards.h"

namespace aclgrad::hccl {
namespace {

struct Entry {
  int32_t device;
  std::string name;
  std::shared_ptr<Communicator> communicator = nullptr;  // null while it is being made
  std::shared_ptr<int> uses = std::make_shared<int>();   // shared by calls
};

// A handle is a number that is never used twice, so a stale one is recognised and never names a
// newer communicator.
struct Registry {
  std::mutex mutex;
  uintptr_t next = uintptr_t{0x4843} << 32;
  std::unordered_map<HcclComm, Entry> entries;
};

// Never destroyed: threads of the program may outlive main().
Registry& registry() {
  static auto& instance = *new Registry;
  return instance;
}

HcclComm reserve(int32_t device, const std::string& name) {
  const std::lock_guard lock(registry().mutex);
  for (const auto& [handle, entry] : registry().entries) {
    if (entry.device != device || entry.name != name) continue;
    throw Failure(
        HCCL_E_PARA,
        fmt::format("a communicator of device {} has the name \"{}\" already", device, name));
  }
  auto* const handle = reinterpret_cast<HcclComm>(registry().next);
  registry().entries.emplace(handle, Entry{device, name});
  registry().next += 16;
  return handle;
}

}  // namespace

Number Communicator::Counters::next(bool is_recorded) {
  if (is_recorded) return {.recorded = ++recorded, .run = 0};
  return {.recorded = 0, .run = run++};
}

Number Communicator::number(Operation& operation, bool recorded) {
  const std::lock_guard lock(mutex_);
  for (Transfer& each : operation.transfers) {
    each.number = transfers_[{each.peer, each.is_send}].next(recorded);
  }
  return is_transfer(operation.kind) ? Number{} : collectives_.next(recorded);
}

Outcome Communicator::perform(const Operation& operation, const Number& number) noexcept {
  Outcome outcome;
  try {
    outcome = identity.group->perform(rank(), operation, number, settings.exec_timeout);
  } catch (const std::bad_alloc&) {
    outcome = out_of_memory();
  } catch (const std::exception& error) {
    outcome = {HCCL_E_INTERNAL, error.what()};
  }
  HcclResult none = HCCL_SUCCESS;
  if (!outcome.ok()) async_error_.compare_exchange_strong(none, outcome.result);
  return outcome;
}

void Communicator::begin_task() {
  const std::lock_guard lock(mutex_);
  ++tasks_;
}

void Communicator::end_task() {
  const std::lock_guard lock(mutex_);
  --tasks_;
  tasks_changed_.notify_all();
}

void Communicator::end() {
  {
    std::unique_lock lock(mutex_);
    wait_until(tasks_changed_, lock, deadline_after(settings.exec_timeout),
               [&] { return tasks_ == 0; });
  }
  identity.group->leave(rank());
}

std::shared_ptr<Communicator> use(HcclComm handle) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().entries.find(handle);
  if (found == registry().entries.end() || !found->second.communicator) throw not_live(handle);
  return {found->second.uses, found->second.communicator.get()};
}

Registration::Registration(int32_t device, const std::string& name)
    : handle_(reserve(device, name)) {}

Registration::~Registration() {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().entries.find(handle_);
  if (found != registry().entries.end() && !found->second.communicator) {
    registry().entries.erase(found);
  }
}

HcclComm Registration::complete(std::shared_ptr<Communicator> communicator) {
  const std::lock_guard lock(registry().mutex);
  registry().entries.at(handle_).communicator = std::move(communicator);
  return handle_;
}

std::shared_ptr<Communicator> remove(HcclComm handle, int32_t device) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().entries.find(handle);
  if (found == registry().entries.end() || !found->second.communicator ||
      found->second.device != device) {
    throw not_live(handle);
  }
  if (found->second.uses.use_count() > 1) {
    throw Failure(HCCL_E_AGAIN, "another thread is in a call with the communicator",
                  "Destroy it once all its calls have returned.");
  }
  std::shared_ptr<Communicator> removed = std::move(found->second.communicator);
  registry().entries.erase(found);
  return removed;
}

// ---- Tasks of streams ---------------------------------------------------------------------------

namespace {

// What the stream holds.
struct QueuedOperation {
  const std::shared_ptr<Communicator> communicator;
  Operation operation;
  const bool is_recorded;  // else it runs once, and is waited for from now on
  Number number = {};
};

void explain(const Communicator& communicator, const Outcome& outcome) noexcept {
  try {
    const std::string text = fmt::format("rank {}: {} ({})", communicator.rank(), outcome.text,
                                         HcclGetErrorString(outcome.result));
    aclgradExplainFailure(text.c_str());
  } catch (const std::exception&) {
    // Out of memory while reporting an error: the status alone is returned.
  }
}

// Perhaps on a thread of the program that waits for the stream. It cannot be cancelled meanwhile:
// the other ranks count on what it has begun, and on the buffers.
aclError run(void* argument) {
  const NotCancellable whole;
  auto& queued = *static_cast<QueuedOperation*>(argument);
  if (queued.is_recorded) queued.communicator->begin_task();
  const Outcome outcome = queued.communicator->perform(queued.operation, queued.number);
  if (queued.is_recorded) {
    // The next replay meets the next one of the other ranks.
    ++queued.number.run;
    for (Transfer& each : queued.operation.transfers) ++each.number.run;
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

void queue(Communicator& communicator, aclrtStream stream, Operation operation) {
  const int32_t device = current_device();
  if (device != communicator.identity.device) {
    throw Failure(
        HCCL_E_PARA,
        fmt::format("argument comm belongs to device {}, the calling thread's device is {}",
                    communicator.identity.device, device),
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
      new QueuedOperation{communicator.shared_from_this(), std::move(operation), is_recorded});
  queued->number = communicator.number(queued->operation, is_recorded);
  if (!is_recorded) communicator.begin_task();
  if (aclgradLaunchTask(stream, name, run, queued.release(), release) != ACL_SUCCESS) {
    throw Failure(HCCL_E_RUNTIME, "the stream could not queue the operation");
  }
  if (!is_recorded) aclgradWakeStream(stream);  // the other ranks wait for it
}

}  // namespace aclgrad::hccl
