// SPDX-License-Identifier: Apache-2.0
// A group whose ranks are in several processes, some perhaps in the same one.
#ifndef ACLGRAD_OPS_HCCL_MESSAGE_GROUP_H_
#define ACLGRAD_OPS_HCCL_MESSAGE_GROUP_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ops/hccl/group.h"
#include "ops/hccl/mailbox.h"
#include "ops/hccl/transport.h"

namespace aclgrad::hccl {

class MessageGroup : public Group {
 public:
  // Which process each rank is in. All processes of the list make the group at the same time, with
  // the same tag.
  MessageGroup(Transport& transport, const std::vector<int>& processes, int tag);

  Outcome perform(uint32_t rank, const Operation& operation, const Number& number,
                  Patience patience) override;
  void leave(uint32_t rank) override;
  int process_of(uint32_t rank) const override { return processes_.at(rank); }

  // ---- For exchanges (exchange.h) ---------------------------------------------------------------

  struct Place {
    size_t process;  // in the channel
    int index;       // among the ranks of the process
  };
  const Place& place_of(uint32_t rank) const { return places_[rank]; }
  bool is_here(uint32_t rank) const { return places_[rank].process == own_; }
  Channel& channel() const { return *channel_; }
  Mailbox& mailbox() { return mailbox_; }
  bool is_crowded() const { return transport_.is_crowded(); }

  // The first failure of the group, wherever it was; reads what other processes say of themselves.
  std::optional<Outcome> failure();
  bool has_left(uint32_t rank) const { return has_left_[rank].load(std::memory_order_acquire); }
  // Ends the group here and elsewhere.
  void fail(const Outcome& outcome);

  // Memory of operations that are over, for the next ones.
  std::vector<unsigned char> take_scratch(size_t bytes);
  void give_scratch(std::vector<unsigned char> scratch) noexcept;

 private:
  void tell_others(const std::string& text);
  void read_notices();
  void note(const Outcome& outcome);

  Transport& transport_;
  const std::vector<int> processes_;  // by rank, numbers of the transport
  std::vector<int> members_;          // different processes, in the order of the channel
  std::vector<Place> places_;
  size_t own_ = 0;
  std::unique_ptr<Channel> channel_;
  Mailbox mailbox_;

  std::unique_ptr<std::atomic<bool>[]> has_left_;
  std::atomic<bool> has_failed_{false};
  std::mutex mutex_;
  Outcome failure_;
  std::vector<std::vector<unsigned char>> scratch_;
};

}  // namespace aclgrad::hccl

#endif  // ACLGRAD_OPS_HCCL_MESSAGE_GROUP_H_
