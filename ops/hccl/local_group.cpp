// SPDX-License-Identifier: Apache-2.0
#include "ops/hccl/local_group.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace aclgrad::hccl {
namespace {

// With less work the last rank to come does it all: that is quicker than to wake the others for it.
constexpr uint64_t kWorthSharing = 32768;

// How often a rank looks for the others before it goes to sleep.
constexpr int kLooks = 100;

}  // namespace

Outcome LocalGroup::perform(uint32_t rank, const Operation& operation, const Number& number,
                            Patience patience) {
  Lock lock(mutex_);
  if (failure_) return failure(/*was_waiting=*/false);
  try {
    if (operation.kind == Kind::kTransfers) return transfer(lock, rank, operation, patience);
    return meet(lock, rank, operation, number, patience);
  } catch (const std::bad_alloc&) {
    // What it has left half done is never looked at again.
    fail(out_of_memory());
    return out_of_memory();
  }
}

void LocalGroup::leave(uint32_t rank) {
  const std::lock_guard lock(mutex_);
  has_left_[rank] = true;
  if (failure_) return;
  try {
    fail_who_waits_for(rank);
  } catch (const std::bad_alloc&) {
    fail({HCCL_E_REMOTE, "a rank has left"});
  }
}

// ---- Failures -----------------------------------------------------------------------------------

void LocalGroup::fail_who_waits_for(uint32_t rank) {
  for (const auto& [number, meeting] : meetings_) {
    if (meeting->operations[rank] == nullptr) {
      fail({HCCL_E_REMOTE, fmt::format("{} waits for rank {}, which has destroyed its communicator",
                                       meeting->first()->name, rank)});
      return;
    }
  }
  for (const auto& [key, post] : posts_) {
    const auto& [from, to, number] = key;
    if (from == rank || to == rank) {
      fail(
          {HCCL_E_REMOTE, fmt::format("a transfer from rank {} to rank {} waits for rank {}, which "
                                      "has destroyed its communicator",
                                      from, to, rank)});
      return;
    }
  }
}

// The first one ends the group, and everybody who waits for somebody hears of it.
void LocalGroup::fail(Outcome outcome) {
  if (failure_) return;
  failure_ = std::move(outcome);
  for (const auto& [number, meeting] : meetings_) meeting->changed.notify_all();
  for (std::condition_variable* const each : waiting_for_transfers_) each->notify_all();
}

// What a rank is told: one that comes later has not waited in vain itself.
Outcome LocalGroup::failure(bool was_waiting) const {
  if (was_waiting || failure_->result != HCCL_E_TIMEOUT) return *failure_;
  return {HCCL_E_REMOTE, "the group has ended: " + failure_->text};
}

std::string LocalGroup::absent(const Meeting& meeting, bool only_left) const {
  std::vector<uint32_t> ranks;
  for (uint32_t rank = 0; rank < size(); ++rank) {
    if (meeting.operations[rank] == nullptr && (!only_left || has_left_[rank])) {
      ranks.push_back(rank);
    }
  }
  if (ranks.empty()) return "";
  return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", fmt::join(ranks, ", "));
}

// ---- Operations of all ranks --------------------------------------------------------------------

const Operation* LocalGroup::Meeting::first() const {
  return *std::find_if(operations.begin(), operations.end(),
                       [](const Operation* each) { return each != nullptr; });
}

Outcome LocalGroup::meet(Lock& lock, uint32_t rank, const Operation& operation,
                         const Number& number, Patience patience) {
  const auto known = meetings_.find(number);
  const std::shared_ptr<Meeting> meeting =
      known != meetings_.end()
          ? known->second
          : meetings_.emplace(number, std::make_shared<Meeting>(size())).first->second;
  join(*meeting, rank, operation);
  if (meeting->arrived == size() && !failure_) {
    meetings_.erase(number);
    if (bytes_of(operation, size()) < kWorthSharing) return share_alone(lock, *meeting);
    meeting->stage.store(Stage::kSharing, std::memory_order_release);
    meeting->changed.notify_all();
  } else if (!wait(lock, *meeting, Stage::kSharing, deadline_after(patience))) {
    if (!failure_) {
      fail({HCCL_E_TIMEOUT, fmt::format("{} did not come to {} within {}", absent(*meeting, false),
                                        describe(operation), to_text(*patience))});
    }
    return failure(/*was_waiting=*/true);
  }
  if (meeting->stage.load(std::memory_order_relaxed) == Stage::kSharing) {
    return share(lock, *meeting, rank);
  }
  return meeting->outcome;
}

// Adds the rank's part, which must agree with those that are there.
void LocalGroup::join(Meeting& meeting, uint32_t rank, const Operation& operation) {
  if (meeting.arrived > 0) {
    const Operation& other = *meeting.first();
    if (!agree(operation, other)) {
      const auto known = std::find(meeting.operations.begin(), meeting.operations.end(), &other);
      fail({HCCL_E_PARA, fmt::format("the ranks disagree: rank {} is at {}, rank {} at {}",
                                     known - meeting.operations.begin(), describe(other), rank,
                                     describe(operation))});
    }
  }
  meeting.operations[rank] = &operation;
  ++meeting.arrived;
  if (const std::string left = absent(meeting, true); !left.empty()) {
    fail({HCCL_E_REMOTE,
          fmt::format("{} waits for {}, which destroyed the communicator", operation.name, left)});
  }
  if (meeting.arrived == size() && !failure_) {
    if (std::string wrong = find_disagreement(meeting.operations); !wrong.empty()) {
      fail({HCCL_E_PARA, fmt::format("{}: {}", operation.name, wrong)});
    }
  }
}

// The rank's share, and the wait for those of the others. Nobody may leave before all are done:
// they use this rank's buffers.
Outcome LocalGroup::share(Lock& lock, Meeting& meeting, uint32_t rank) {
  lock.unlock();
  Leftover leftover;
  Outcome mine;
  try {
    leftover = do_share(meeting.operations, rank);
  } catch (const std::bad_alloc&) {
    mine = out_of_memory();
  }
  lock.lock();
  if (!mine.ok()) meeting.outcome = mine;
  if (++meeting.finished == size()) {
    meeting.stage.store(Stage::kDone, std::memory_order_release);
    meeting.changed.notify_all();
  } else {
    wait(lock, meeting, Stage::kDone, {});
  }
  if (!meeting.outcome.ok()) {
    fail(meeting.outcome);
    return meeting.outcome;
  }
  lock.unlock();
  leftover.deliver();
  return {};
}

Outcome LocalGroup::share_alone(Lock& lock, Meeting& meeting) {
  lock.unlock();
  Outcome outcome;
  try {
    std::vector<Leftover> leftovers;
    for (uint32_t rank = 0; rank < size(); ++rank) {
      leftovers.push_back(do_share(meeting.operations, rank));
    }
    for (const Leftover& each : leftovers) each.deliver();
  } catch (const std::bad_alloc&) {
    outcome = out_of_memory();
  }
  lock.lock();
  if (!outcome.ok()) {
    meeting.outcome = outcome;
    fail(outcome);
  }
  meeting.stage.store(Stage::kDone, std::memory_order_release);
  meeting.changed.notify_all();
  return outcome;
}

// False when the deadline has passed, or the group has failed, before all ranks were there.
bool LocalGroup::wait(Lock& lock, Meeting& meeting, Stage stage, Deadline deadline) {
  const auto reached = [&] { return meeting.stage.load(std::memory_order_acquire) >= stage; };
  if (failure_ && stage == Stage::kSharing) return false;
  lock.unlock();
  for (int look = 0; look < kLooks && !reached(); ++look) std::this_thread::yield();
  lock.lock();
  const auto over = [&] { return reached() || (failure_ && stage == Stage::kSharing); };
  if (!deadline) {
    meeting.changed.wait(lock, over);
  } else {
    meeting.changed.wait_until(lock, *deadline, over);
  }
  return reached();
}

}  // namespace aclgrad::hccl
