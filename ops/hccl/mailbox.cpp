// SPDX-License-Identifier: Apache-2.0
#include "ops/hccl/mailbox.h"

#include <cstring>
#include <utility>

namespace aclgrad::hccl {

std::shared_ptr<Mailbox::Pending> Mailbox::Waiter::post(bool is_send, const Address& address,
                                                        void* memory, size_t bytes) {
  const auto mine = std::make_shared<Pending>();
  mine->waiter = this;
  mine->memory = memory;
  mine->bytes = bytes;
  std::unique_lock lock(mailbox_.mutex_);
  auto& others = mailbox_.waiting_[is_send ? 0 : 1];
  const auto found = others.lower_bound(address);
  if (found == others.end() || found->first != address) {
    mailbox_.waiting_[is_send ? 1 : 0].emplace(address, mine);
    ++pending_;
    return mine;
  }
  const std::shared_ptr<Pending> other = std::move(found->second);
  others.erase(found);
  ++pending_;
  if (other->is_cancelled) return mine;
  other->is_met = true;
  lock.unlock();
  Progress result = Progress::kWrongSize;
  if (mine->bytes == other->bytes) {
    std::memmove(is_send ? other->memory : memory, is_send ? memory : other->memory, bytes);
    result = Progress::kDone;
  }
  lock.lock();
  finish(*mine, result);
  finish(*other, result);
  return mine;
}

void Mailbox::Waiter::finish(Pending& message, Progress result) {
  if (--message.waiter->pending_ == 0 || message.is_cancelled)
    message.waiter->changed_.notify_all();
  message.progress.store(result, std::memory_order_release);
}

void Mailbox::Waiter::cancel(Pending& message) {
  std::unique_lock lock(mailbox_.mutex_);
  message.is_cancelled = true;
  changed_.wait(lock, [&] {
    return !message.is_met ||
           message.progress.load(std::memory_order_relaxed) != Progress::kPending;
  });
}

void Mailbox::Waiter::sleep(std::chrono::microseconds time) {
  std::unique_lock lock(mailbox_.mutex_);
  changed_.wait_for(lock, time, [&] { return pending_ == 0; });
}

}  // namespace aclgrad::hccl
