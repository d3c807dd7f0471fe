// SPDX-License-Identifier: Apache-2.0
// Messages between ranks of one process: the one that comes second copies.
#pragma once

#include <atomic>
#include <chrono>
#include <compare>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
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

  class Waiter;

  // One end of a message.
  struct Pending {
    Waiter* waiter = nullptr;
    void* memory = nullptr;
    size_t bytes = 0;
    bool is_met = false;  // by the other end: the memory is in use until the message is over
    bool is_cancelled = false;
    std::atomic<Progress> progress = Progress::kPending;
  };

  // Who posts messages, and sleeps until all of them are over, or for some time.
  class Waiter {
   public:
    explicit Waiter(Mailbox& mailbox) : mailbox_(mailbox) {}

    // Ends with the same address meet in order. The memory of one that is sent is only read.
    std::shared_ptr<Pending> post(bool is_send, const Address& address, void* memory, size_t bytes);
    // The memory of the message is not touched any more.
    void cancel(Pending& message);
    void sleep(std::chrono::microseconds time);

   private:
    // Afterwards the waiter may be gone.
    static void finish(Pending& message, Progress result);

    Mailbox& mailbox_;
    std::condition_variable changed_;
    size_t pending_ = 0;
  };

 private:
  std::mutex mutex_;
  std::multimap<Address, std::shared_ptr<Pending>> waiting_[2];  // receives, sends
};

}  // namespace aclgrad::hccl
