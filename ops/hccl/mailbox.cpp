// SPDX-License-Identifier: Apache-2.0
#include "ops/hccl/mailbox.h"

#include <cstring>
#include <utility>

namespace aclgrad::hccl {

Progress Mailbox::Letter::progress() const {
  const std::lock_guard lock(mutex_);
  return progress_;
}

std::shared_ptr<Mailbox::Letter> Mailbox::send(const Address& address, const void* memory,
                                               size_t bytes) {
  return post(receives_, sends_, /*is_send=*/true, address, const_cast<void*>(memory), bytes);
}

std::shared_ptr<Mailbox::Letter> Mailbox::receive(const Address& address, void* memory,
                                                  size_t bytes) {
  return post(sends_, receives_, /*is_send=*/false, address, memory, bytes);
}

void Mailbox::withdraw(Letter& letter) {
  const std::lock_guard lock(letter.mutex_);
  letter.is_withdrawn_ = true;
}

std::shared_ptr<Mailbox::Letter> Mailbox::post(std::map<Address, Queue>& others,
                                               std::map<Address, Queue>& own, bool is_send,
                                               const Address& address, void* memory, size_t bytes) {
  auto letter = std::make_shared<Letter>();
  letter->memory_ = memory;
  letter->bytes_ = bytes;
  std::shared_ptr<Letter> other;
  {
    const std::lock_guard lock(mutex_);
    const auto found = others.find(address);
    // Empty: there was no memory for a letter.
    if (found == others.end() || found->second.empty()) {
      own[address].push_back(letter);
      return letter;
    }
    other = std::move(found->second.front());
    found->second.pop_front();
    if (found->second.empty()) others.erase(found);
  }
  if (is_send) {
    deliver(*letter, *other);
  } else {
    deliver(*other, *letter);
  }
  return letter;
}

void Mailbox::deliver(Letter& from, Letter& to) {
  const std::scoped_lock lock(from.mutex_, to.mutex_);
  if (from.is_withdrawn_ || to.is_withdrawn_) return;
  Progress result = Progress::kWrongSize;
  if (from.bytes_ == to.bytes_) {
    if (from.bytes_ > 0) std::memmove(to.memory_, from.memory_, from.bytes_);
    result = Progress::kDone;
  }
  from.progress_ = result;
  to.progress_ = result;
}

}  // namespace aclgrad::hccl
