// SPDX-License-Identifier: Apache-2.0
// Messages between ranks of one process: whoever comes second copies.
#ifndef ACLGRAD_OPS_HCCL_MAILBOX_H_
#define ACLGRAD_OPS_HCCL_MAILBOX_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

#include "ops/hccl/transport.h"

namespace aclgrad::hccl {

class Mailbox {
 public:
  struct Address {
    uint32_t from;
    uint32_t to;
    int tag;

    auto operator<=>(const Address&) const = default;
  };

  // One end of a message.
  class Letter {
   public:
    Progress progress() const;

   private:
    friend class Mailbox;
    mutable std::mutex mutex_;
    Progress progress_ = Progress::kPending;
    void* memory_ = nullptr;
    size_t bytes_ = 0;
    bool is_withdrawn_ = false;
  };

  // Those with the same address meet in order.
  std::shared_ptr<Letter> send(const Address& address, const void* memory, size_t bytes);
  std::shared_ptr<Letter> receive(const Address& address, void* memory, size_t bytes);

  // The memory of the letter is not touched any more.
  static void withdraw(Letter& letter);

 private:
  using Queue = std::deque<std::shared_ptr<Letter>>;
  std::shared_ptr<Letter> post(std::map<Address, Queue>& others, std::map<Address, Queue>& own,
                               bool is_send, const Address& address, void* memory, size_t bytes);
  static void deliver(Letter& from, Letter& to);

  std::mutex mutex_;
  std::map<Address, Queue> sends_;
  std::map<Address, Queue> receives_;
};

}  // namespace aclgrad::hccl

#endif  // ACLGRAD_OPS_HCCL_MAILBOX_H_
