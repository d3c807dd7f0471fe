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
  auto& names = registry().names;
  if (const auto found = names.find(std::tuple(device, name)); found != names.end()) {
    names.erase(found);
  }
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

bool reserve_name(int32_t device, const std::string& name) {
  const std::lock_guard lock(registry().mutex);
  return registry().names.emplace(device, name).second;
}

void release_name(int32_t device, const std::string& name) {
  const std::lock_guard lock(registry().mutex);
  forget_name(device, name);
}

HcclComm enroll(std::shared_ptr<Communicator> communicator) {
  const std::lock_guard lock(registry().mutex);
  auto* const handle = reinterpret_cast<HcclComm>(registry().next);
  registry().entries.emplace(handle, Entry{std::move(communicator)});
  registry().next += 16;
  return handle;
}

Removal dismiss(HcclComm handle, int32_t device) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().entries.find(handle);
  if (found == registry().entries.end() || found->second.communicator->device() != device) {
    return {HCCL_E_PARA, nullptr};
  }
  if (found->second.uses > 0) return {HCCL_E_AGAIN, nullptr};
  Removal removal{HCCL_SUCCESS, std::move(found->second.communicator)};
  registry().entries.erase(found);
  forget_name(device, removal.communicator->settings().name);
  return removal;
}

}  // namespace aclgrad::hccl
