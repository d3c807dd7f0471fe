// SPDX-License-Identifier: Apache-2.0
// A group whose ranks are all threads of this process.
#ifndef ACLGRAD_OPS_HCCL_LOCAL_GROUP_H_
#define ACLGRAD_OPS_HCCL_LOCAL_GROUP_H_

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

#include "ops/hccl/group.h"
#include "ops/hccl/invitation.h"
#include "ops/hccl/shares.h"

namespace aclgrad::hccl {

class LocalGroup : public Group {
 public:
  explicit LocalGroup(uint32_t size) : Group(size), has_left_(size, false) {}

  Outcome perform(uint32_t rank, const Operation& operation, const Number& number,
                  Patience patience) override;
  void leave(uint32_t rank) override;
  int process_of(uint32_t) const override { return kThisProcess; }

 private:
  using Lock = std::unique_lock<std::mutex>;
  // How far a meeting is. Whoever comes in between the first two does its share, and waits for
  // the others' shares.
  enum class Stage { kGathering, kSharing, kDone };

  // All ranks' parts of one operation.
  struct Meeting {
    explicit Meeting(uint32_t size) : operations(size, nullptr) {}
    const Operation* first() const;  // of those that have come

    std::vector<const Operation*> operations;  // by rank, null until it has come
    uint32_t arrived = 0;
    uint32_t finished = 0;  // shares
    Outcome outcome;        // of the shares
    std::atomic<Stage> stage{Stage::kGathering};
    std::condition_variable changed;
  };

  // One end of a transfer that waits for the other.
  struct Post {
    const Transfer* transfer;
    std::condition_variable* changed;
    bool is_met = false;  // the other end copies, and nobody may leave
    bool is_done = false;
  };
  using TransferKey = std::tuple<uint32_t, uint32_t, Number>;  // from, to

  // Both are called under the lock, and throw under it.
  Outcome meet(Lock& lock, uint32_t rank, const Operation& operation, const Number& number,
               Patience patience);
  void join(Meeting& meeting, uint32_t rank, const Operation& operation);
  Outcome share(Lock& lock, Meeting& meeting, uint32_t rank);
  Outcome share_alone(Lock& lock, Meeting& meeting);
  bool wait(Lock& lock, Meeting& meeting, Stage stage, Deadline deadline);

  Outcome transfer(Lock& lock, uint32_t rank, const Operation& operation, Patience patience);
  void post(Lock& lock, uint32_t rank, Post& mine);

  void fail_who_waits_for(uint32_t rank);
  void fail(Outcome outcome);
  Outcome failure(bool was_waiting) const;
  std::string absent(const Meeting& meeting, bool only_left) const;

  std::mutex mutex_;
  std::map<Number, std::shared_ptr<Meeting>> meetings_;
  std::map<TransferKey, Post*> posts_;
  std::vector<std::condition_variable*> waiting_for_transfers_;
  std::vector<bool> has_left_;
  std::optional<Outcome> failure_;  // the first
};

}  // namespace aclgrad::hccl

#endif  // ACLGRAD_OPS_HCCL_LOCAL_GROUP_H_
