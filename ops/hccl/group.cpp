// SPDX-License-Identifier: Apache-2.0
#include "ops/hccl/group.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <thread>
#include <utility>

#include "ops/hccl/algorithm.h"
#include "ops/hccl/memory_transport.h"
#include "ops/hccl/message_transport.h"

namespace aclgrad::hccl {
namespace {

// Notices: "L" and the rank that leaves, or "F", the result, a blank, and why.
constexpr char kLeaves = 'L';
constexpr char kFails = 'F';

// As many as tags can distinguish (MessageTransport::tag).
constexpr int kMaxRanksOfProcess = 16;

// How often a rank looks for the others before it goes to sleep.
constexpr int kLooks = 100;

// Without the lock: the others may be there in a moment.
template <class Lock, class IsOver>
void look_before_sleep(Lock& lock, const IsOver& is_over) {
  lock.unlock();
  for (int look = 0; look < kLooks && !is_over(); ++look) std::this_thread::yield();
  lock.lock();
}

// The message for ranks that have not waited themselves.
Outcome for_others(const Outcome& outcome) {
  if (outcome.result != HCCL_E_TIMEOUT) return outcome;
  return {HCCL_E_REMOTE, "the group has ended: " + outcome.text};
}

}  // namespace

Outcome did_not_come(const std::vector<uint32_t>& ranks, const Signature& what, Timeout timeout) {
  return {HCCL_E_TIMEOUT,
          fmt::format("rank{} {} did not come to {} within {}", ranks.size() == 1 ? "" : "s",
                      fmt::join(ranks, ", "), describe(what), to_text(*timeout))};
}

Outcome has_left_already(uint32_t rank, const Signature& what) {
  return {HCCL_E_REMOTE, fmt::format("{} waits for rank {}, which has destroyed its communicator",
                                     name_of(what.kind), rank)};
}

Group::Group(const std::vector<int>& processes, Network* network, int tag)
    : processes_(processes),
      members_(processes),
      network_(network),
      has_left_(new std::atomic<bool>[processes.size()]()) {
  std::sort(members_.begin(), members_.end());
  members_.erase(std::unique(members_.begin(), members_.end()), members_.end());
  std::vector<int> ranks(members_.size(), 0);
  for (const int each : processes) {
    const auto found = std::lower_bound(members_.begin(), members_.end(), each);
    const auto process = static_cast<size_t>(found - members_.begin());
    locations_.push_back({process, ranks[process]++});
  }
  if (members_.size() == 1) return;
  if (*std::max_element(ranks.begin(), ranks.end()) > kMaxRanksOfProcess) {
    throw Failure(
        HCCL_E_NOT_SUPPORT,
        fmt::format("more than {} ranks of a group are in one process", kMaxRanksOfProcess));
  }
  own_ = static_cast<size_t>(std::find(members_.begin(), members_.end(), network->process()) -
                             members_.begin());
  channel_ = network->open_channel(members_, tag);
}

Outcome Group::perform(uint32_t rank, const Operation& operation, const Number& number,
                       Timeout timeout) {
  if (!is_local() && !network_->is_open()) return {HCCL_E_NETWORK, "MPI has ended already"};
  if (const std::optional<Outcome> known = failure()) return for_others(*known);
  Lock lock(mutex_, std::defer_lock);
  std::optional<MessageTransport> messages;
  Outcome outcome;
  try {
    if (is_local() && !is_transfer(operation.kind)) {
      lock.lock();
      return meet(lock, rank, operation, number, timeout);
    }
    messages.emplace(*this, rank, operation, number, timeout);
    messages->perform();
    return {};
  } catch (Failure& why) {
    outcome = std::move(why.outcome);
  } catch (const std::bad_alloc&) {
    outcome = out_of_memory();  // what is left half done is never looked at again
  } catch (const std::exception& error) {
    outcome = {HCCL_E_INTERNAL, error.what()};
  }
  // Before any other rank comes to the meeting, and before the messages are taken back: that waits
  // for the others to let go of them.
  if (!lock.owns_lock()) lock.lock();
  fail(lock, outcome, /*is_told=*/false);
  return outcome;
}

void Group::leave(uint32_t rank) {
  has_left_[rank].store(true, std::memory_order_release);
  {
    const Lock lock(mutex_);
    for (const auto& [number, meeting] : meetings_) meeting->changed.notify_all();
  }
  if (!is_local() && network_->is_open()) tell_others(fmt::format("{}{}", kLeaves, rank));
}

// ---- Failures -----------------------------------------------------------------------------------

std::optional<Outcome> Group::failure() {
  if (!is_local()) read_notices();
  if (!has_failed_.load(std::memory_order_acquire)) return {};
  const Lock lock(mutex_);
  return failure_;
}

// The first one ends the group, here and elsewhere: every rank that waits is notified.
// Releases the lock.
void Group::fail(Lock& lock, const Outcome& outcome, bool is_told) {
  if (has_failed_.load(std::memory_order_relaxed)) return lock.unlock();
  try {
    failure_ = outcome;
  } catch (const std::bad_alloc&) {
    failure_ = out_of_memory();
  }
  has_failed_.store(true, std::memory_order_release);
  for (const auto& [number, meeting] : meetings_) meeting->changed.notify_all();
  lock.unlock();
  if (is_local()) return;
  network_->skip_finalize();
  if (is_told) return;
  const Outcome theirs = for_others(outcome);
  tell_others(fmt::format("{}{} {}", kFails, static_cast<int>(theirs.result), theirs.text));
}

void Group::tell_others(const std::string& text) {
  for (size_t process = 0; process < members_.size(); ++process) {
    if (process != own_) channel_->notify(process, text);
  }
}

void Group::read_notices() {
  while (const std::optional<Channel::Notice> notice = channel_->next_notice()) {
    const std::string& text = notice->text;
    int number = 0;
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + 1, end, number);
    if (text.front() == kLeaves) {
      has_left_[static_cast<size_t>(number)].store(true, std::memory_order_release);
    } else {
      Lock lock(mutex_);
      fail(lock, {static_cast<HcclResult>(number), {std::min(parsed.ptr + 1, end), end}},
           /*is_told=*/true);
    }
  }
}

// ---- Meetings -----------------------------------------------------------------------------------

Outcome Group::meet(Lock& lock, uint32_t rank, const Operation& operation, const Number& number,
                    Timeout timeout) {
  if (has_failed_.load(std::memory_order_relaxed)) return for_others(failure_);
  auto it = meetings_.find(number);
  if (it == meetings_.end()) {
    it = meetings_.emplace(number, std::make_shared<Meeting>(size())).first;
  }
  const std::shared_ptr<Meeting> meeting = it->second;
  join(*meeting, rank, operation);
  if (meeting->arrived < size()) {
    wait_for_all(lock, *meeting, operation, timeout);
  } else {
    meetings_.erase(number);
    if (bytes_of(operation, size()) < kMinSharedBytes) return share(lock, *meeting, 0, size());
    meeting->stage.store(Stage::kSharing, std::memory_order_release);
    meeting->changed.notify_all();
  }
  if (meeting->stage.load(std::memory_order_relaxed) == Stage::kDone) return meeting->outcome;
  return share(lock, *meeting, rank, 1);
}

// Adds the rank's part, which must agree with those that are there.
void Group::join(Meeting& meeting, uint32_t rank, const Operation& operation) const {
  for (uint32_t other = 0; other < size(); ++other) {
    const Operation* const there = other == rank ? &operation : meeting.operations[other];
    if (there == nullptr) continue;
    std::string wrong =
        find_disagreement(other, there->signature_for(rank), rank, operation.signature_for(other));
    if (!wrong.empty()) throw Failure(HCCL_E_PARA, std::move(wrong));
  }
  meeting.operations[rank] = &operation;
  ++meeting.arrived;
}

// Throws when a rank does not come in time, or will never come.
void Group::wait_for_all(Lock& lock, Meeting& meeting, const Operation& operation,
                         Timeout timeout) {
  const auto is_here = [&] {
    return meeting.stage.load(std::memory_order_acquire) != Stage::kGathering;
  };
  const auto who_left = [&] {
    uint32_t rank = 0;
    while (rank < size() && (meeting.operations[rank] != nullptr || !has_left(rank))) ++rank;
    return rank;
  };
  look_before_sleep(lock, is_here);
  const auto is_over = [&] {
    return is_here() || has_failed_.load(std::memory_order_relaxed) || who_left() < size();
  };
  wait_until(meeting.changed, lock, deadline_after(timeout), is_over);
  if (is_here()) return;
  if (has_failed_.load(std::memory_order_relaxed)) throw Failure(failure_);
  if (who_left() < size()) throw Failure(has_left_already(who_left(), operation));
  std::vector<uint32_t> absent;
  for (uint32_t rank = 0; rank < size(); ++rank) {
    if (meeting.operations[rank] == nullptr) absent.push_back(rank);
  }
  throw Failure(did_not_come(absent, operation, timeout));
}

// The shares of some ranks, and the wait for those of the others. No rank may leave before all are
// done: they use this rank's buffers.
Outcome Group::share(Lock& lock, Meeting& meeting, uint32_t first, uint32_t count) {
  lock.unlock();
  const bool is_alone = count == size();
  std::vector<MemoryTransport> transports;
  Outcome mine;
  const auto write = [&] {
    for (const MemoryTransport& each : transports) each.make_deferred_writes();
  };
  try {
    transports.reserve(count);
    for (uint32_t rank = first; rank < first + count; ++rank) {
      carry_out(transports.emplace_back(meeting.operations, rank), *meeting.operations[rank]);
    }
    if (is_alone) write();
  } catch (const std::bad_alloc&) {
    mine = out_of_memory();
  }
  lock.lock();
  if (!mine.ok()) meeting.outcome = mine;
  meeting.finished += count;
  const auto is_done = [&] {
    return meeting.stage.load(std::memory_order_acquire) == Stage::kDone;
  };
  if (meeting.finished == size()) {
    meeting.stage.store(Stage::kDone, std::memory_order_release);
    meeting.changed.notify_all();
  } else {
    look_before_sleep(lock, is_done);
    meeting.changed.wait(lock, is_done);
  }
  if (!meeting.outcome.ok()) throw Failure(meeting.outcome);
  lock.unlock();
  if (!is_alone) write();
  return {};
}

// ---- Memory -------------------------------------------------------------------------------------

std::vector<unsigned char> Group::take_scratch(size_t bytes) {
  std::vector<unsigned char> scratch;
  Lock lock(mutex_);
  if (!scratch_.empty()) {
    scratch.swap(scratch_.back());
    scratch_.pop_back();
  }
  lock.unlock();
  if (scratch.size() < bytes) scratch.resize(bytes);
  return scratch;
}

void Group::give_scratch(std::vector<unsigned char> scratch) noexcept {
  const Lock lock(mutex_);
  try {
    scratch_.push_back(std::move(scratch));
  } catch (const std::bad_alloc&) {
    // It is freed instead.
  }
}

}  // namespace aclgrad::hccl
