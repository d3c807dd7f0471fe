// SPDX-License-Identifier: Apache-2.0
#include "ops/hccl/communicator.h"

#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace aclgrad::hccl {
namespace {

// A handle is a number that is never used twice, so a stale one is recognised and never names a
// newer communicator.
struct Entry {
  std::shared_ptr<Communicator> communicator;
  int uses = 0;
};

struct Registry {
  std::mutex mutex;
  uintptr_t next = uintptr_t{0x4843} << 32;
  std::unordered_map<HcclComm, Entry> entries;
  std::set<std::tuple<int32_t, std::string>, std::less<>> names;
};

// Never destroyed: threads of the program may outlive main().
Registry& registry() {
  static auto& instance = *new Registry;
  return instance;
}

// Under the lock, and without a need for memory.
void forget_name(int32_t device, std::string_view name) {
  registry().names.erase(registry().names.find(std::tuple(device, name)));
}

}  // namespace

Communicator::Communicator(Identity identity, Settings settings)
    : identity_(std::move(identity)), settings_(std::move(settings)) {}

Number Communicator::count(std::pair<uint64_t, uint64_t>& counters, bool recorded) {
  auto& [at_once, in_recordings] = counters;
  if (recorded) return {.recorded = ++in_recordings, .run = 0};
  return {.recorded = 0, .run = at_once++};
}

Number Communicator::number_collective(bool recorded) {
  const std::lock_guard lock(mutex_);
  return count(collectives_, recorded);
}

Number Communicator::number_transfer(uint32_t peer, bool is_send, bool recorded) {
  const std::lock_guard lock(mutex_);
  return count(transfers_[{peer, is_send}], recorded);
}

Outcome Communicator::perform(const Operation& operation, const Number& number) {
  Outcome outcome = identity_.group->perform(rank(), operation, number, settings_.exec_timeout);
  if (!outcome.ok()) {
    HcclResult none = HCCL_SUCCESS;
    async_error_.compare_exchange_strong(none, outcome.result);
  }
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
    const auto over = [&] { return tasks_ == 0; };
    if (const Deadline deadline = deadline_after(settings_.exec_timeout)) {
      tasks_changed_.wait_until(lock, *deadline, over);
    } else {
      tasks_changed_.wait(lock, over);
    }
  }
  identity_.group->leave(rank());
}

Use::Use(HcclComm handle) : handle_(handle) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().entries.find(handle);
  if (found == registry().entries.end()) return;
  ++found->second.uses;
  communicator_ = found->second.communicator;
}

Use::~Use() {
  if (!communicator_) return;
  const std::lock_guard lock(registry().mutex);
  --registry().entries.at(handle_).uses;
}

NameReservation::NameReservation(int32_t device, const std::string& name)
    : device_(device), name_(name) {
  const std::lock_guard lock(registry().mutex);
  if (registry().names.emplace(device, name).second) return;
  throw Failure(HCCL_E_PARA, fmt::format("a communicator of device {} has the name \"{}\" already",
                                         device, name));
}

NameReservation::~NameReservation() {
  if (is_kept_) return;
  const std::lock_guard lock(registry().mutex);
  forget_name(device_, name_);
}

HcclComm add(std::shared_ptr<Communicator> communicator) {
  const std::lock_guard lock(registry().mutex);
  auto* const handle = reinterpret_cast<HcclComm>(registry().next);
  registry().entries.emplace(handle, Entry{std::move(communicator)});
  registry().next += 16;
  return handle;
}

std::shared_ptr<Communicator> remove(HcclComm handle, int32_t device) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().entries.find(handle);
  if (found == registry().entries.end() || found->second.communicator->device() != device) {
    throw not_live(handle);
  }
  if (found->second.uses > 0) {
    throw Failure(HCCL_E_AGAIN, "another thread is in a call with the communicator",
                  "Destroy it once all its calls have returned.");
  }
  std::shared_ptr<Communicator> removed = std::move(found->second.communicator);
  registry().entries.erase(found);
  forget_name(device, removed->settings().name);
  return removed;
}

}  // namespace aclgrad::hccl
