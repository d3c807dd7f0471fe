// SPDX-License-Identifier: Apache-2.0
// A group of ranks, and what they do together. Ranks are threads of this process or others.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ops/hccl/call.h"
#include "ops/hccl/mailbox.h"
#include "ops/hccl/network.h"
#include "ops/hccl/operation.h"

namespace aclgrad::hccl {

class Group {
 public:
  // Which process each rank is in. With several, all of them make the group at the same time, with
  // the same tag; within one nothing needs a network.
  Group(const std::vector<int>& processes, Network* network, int tag);

  uint32_t size() const { return static_cast<uint32_t>(processes_.size()); }
  int process_of(uint32_t rank) const { return processes_.at(rank); }

  // Does the rank's part of an operation, and returns when its buffers are free again. Several
  // operations of a rank may be under way at once, on several threads. After a failure the group
  // has ended: whatever is waiting, and all that comes, fails.
  Outcome perform(uint32_t rank, const Operation& operation, const Number& number, Timeout timeout);

  // The rank takes part in nothing more: who needs it fails.
  void leave(uint32_t rank);

  // ---- For messages (message_transport.h) -------------------------------------------------------

  struct Location {
    size_t process;  // in the channel
    int index;       // among the ranks of the process
  };
  const Location& location_of(uint32_t rank) const { return locations_[rank]; }
  bool is_here(uint32_t rank) const { return locations_[rank].process == own_; }
  // Whether all ranks are in this process. Then there is no channel.
  bool is_local() const { return channel_ == nullptr; }
  Channel& channel() const { return *channel_; }
  Mailbox& mailbox() { return mailbox_; }
  bool is_oversubscribed() const { return network_->is_oversubscribed(); }

  // The first failure of the group, wherever it was; reads what other processes say of themselves.
  std::optional<Outcome> failure();
  bool has_left(uint32_t rank) const { return has_left_[rank].load(std::memory_order_acquire); }

  // Memory of operations that are over, for the next ones.
  std::vector<unsigned char> take_scratch(size_t bytes);
  void give_scratch(std::vector<unsigned char> scratch) noexcept;

 private:
  using Lock = std::unique_lock<std::mutex>;
  // How far a meeting is. A rank that comes in between the first two does its share, and waits for
  // the others' shares.
  enum class Stage { kGathering, kSharing, kDone };

  // All ranks' parts of an operation within this process.
  struct Meeting {
    explicit Meeting(uint32_t size) : operations(size, nullptr) {}

    std::vector<const Operation*> operations;  // by rank, null until it has come
    uint32_t arrived = 0;
    uint32_t finished = 0;  // shares
    Outcome outcome;        // of the shares
    std::atomic<Stage> stage{Stage::kGathering};
    std::condition_variable changed;
  };

  // Under the lock, which they may release and which they hold when they throw.
  Outcome meet(Lock& lock, uint32_t rank, const Operation& operation, const Number& number,
               Timeout timeout);
  void join(Meeting& meeting, uint32_t rank, const Operation& operation) const;
  void wait_for_all(Lock& lock, Meeting& meeting, const Operation& operation, Timeout timeout);
  Outcome share(Lock& lock, Meeting& meeting, uint32_t first, uint32_t count);

  void fail(Lock& lock, const Outcome& outcome, bool is_told);
  void tell_others(const std::string& text);
  void read_notices();

  const std::vector<int> processes_;  // by rank, numbers of the network
  std::vector<int> members_;          // different processes, in the order of the channel
  std::vector<Location> locations_;
  size_t own_ = 0;
  Network* const network_;
  std::unique_ptr<Channel> channel_;
  Mailbox mailbox_;

  std::unique_ptr<std::atomic<bool>[]> has_left_;
  std::atomic<bool> has_failed_{false};
  std::mutex mutex_;
  Outcome failure_;
  std::map<Number, std::shared_ptr<Meeting>> meetings_;
  std::vector<std::vector<unsigned char>> scratch_;
};

// What a rank fails with when others do not come in time, or will never come.
Outcome did_not_come(const std::vector<uint32_t>& ranks, const Signature& what, Timeout timeout);
Outcome has_left_already(uint32_t rank, const Signature& what);

}  // namespace aclgrad::hccl
