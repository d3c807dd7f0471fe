// SPDX-License-Identifier: Apache-2.0
#include "ops/hccl/mailbox.h"

#include <cstring>
#include <utility>

namespace aclgrad::hccl {

std::shared_ptr<Mailbox::Pending> Mailbox::post(bool is_send, const Address& address, void* memory,
                                                size_t bytes) {
  const auto mine = std::make_shared<Pending>();
  mine->memory = memory;
  mine->bytes = bytes;
  std::unique_lock lock(mutex_);
  auto& others = waiting_[is_send ? 0 : 1];
  const auto found = others.find(address);
  // Empty: there was no memory for a message.
  if (found == others.end() || found->second.empty()) {
    waiting_[is_send ? 1 : 0][address].push_back(mine);
    return mine;
  }
  const std::shared_ptr<Pending> other = std::move(found->second.front());
  found->second.pop_front();
  if (found->second.empty()) others.erase(found);
  if (other->is_cancelled) return mine;
  other->is_met = true;
  lock.unlock();
  Progress result = Progress::kWrongSize;
  if (mine->bytes == other->bytes) {
    std::memmove(is_send ? other->memory : memory, is_send ? memory : other->memory, bytes);
    result = Progress::kDone;
  }
  mine->progress.store(result, std::memory_order_relaxed);
  other->progress.store(result, std::memory_order_release);
  wake();
  return mine;
}

void Mailbox::cancel(Pending& message) {
  std::unique_lock lock(mutex_);
  message.is_cancelled = true;
  changed_.wait(lock, [&] {
    return !message.is_met ||
           message.progress.load(std::memory_order_acquire) != Progress::kPending;
  });
}

void Mailbox::wake() {
  const std::lock_guard lock(mutex_);
  changes_.fetch_add(1, std::memory_order_release);
  changed_.notify_all();
}

void Mailbox::wait(uint64_t changes, std::chrono::microseconds time) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, time,
                    [&] { return changes_.load(std::memory_order_relaxed) != changes; });
}

}  // namespace aclgrad::hccl
