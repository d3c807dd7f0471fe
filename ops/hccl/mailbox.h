// SPDX-License-Identifier: Apache-2.0
// Messages between ranks of one process: whoever comes second copies.
#ifndef ACLGRAD_OPS_HCCL_MAILBOX_H_
#define ACLGRAD_OPS_HCCL_MAILBOX_H_

#include <atomic>
#include <chrono>
#include <compare>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

#include "ops/hccl/network.h"

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
  struct Pending {
    void* memory = nullptr;
    size_t bytes = 0;
    bool is_met = false;  // by the other end, and its memory in use until it is over
    bool is_cancelled = false;
    std::atomic<Progress> progress = Progress::kPending;
  };

  // Ends with the same address meet in order. The memory of one that is sent is only read.
  std::shared_ptr<Pending> post(bool is_send, const Address& address, void* memory, size_t bytes);

  // The memory of the message is not touched any more.
  void cancel(Pending& message);

  // A number that changes with every message that is over, and with wake().
  uint64_t changes() const { return changes_.load(std::memory_order_acquire); }
  void wake();
  // Until the number is another one, or for some time.
  void wait(uint64_t changes, std::chrono::microseconds time);

 private:
  using Queue = std::deque<std::shared_ptr<Pending>>;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<uint64_t> changes_{0};
  std::map<Address, Queue> waiting_[2];  // receives, sends
};

}  // namespace aclgrad::hccl

#endif  // ACLGRAD_OPS_HCCL_MAILBOX_H_
