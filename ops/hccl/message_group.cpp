// SPDX-License-Identifier: Apache-2.0
#include "ops/hccl/message_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <new>
#include <utility>

#include "ops/hccl/exchange.h"
#include "ops/hccl/message_operations.h"

namespace aclgrad::hccl {
namespace {

// Notices: "L" and the rank that leaves, or "F", the result, a blank, and why.
constexpr char kLeaves = 'L';
constexpr char kFails = 'F';

// As many as tags tell apart (Exchange::tag).
constexpr int kMostRanksOfProcess = 16;

}  // namespace

MessageGroup::MessageGroup(Transport& transport, const std::vector<int>& processes, int tag)
    : Group(static_cast<uint32_t>(processes.size())),
      transport_(transport),
      processes_(processes),
      members_(processes),
      has_left_(new std::atomic<bool>[processes.size()]) {
  std::sort(members_.begin(), members_.end());
  members_.erase(std::unique(members_.begin(), members_.end()), members_.end());
  std::vector<int> ranks(members_.size(), 0);
  for (size_t rank = 0; rank < processes.size(); ++rank) {
    has_left_[rank] = false;
    const auto found = std::lower_bound(members_.begin(), members_.end(), processes[rank]);
    const auto process = static_cast<size_t>(found - members_.begin());
    places_.push_back({process, ranks[process]++});
    if (ranks[process] > kMostRanksOfProcess) {
      throw Failure(
          HCCL_E_NOT_SUPPORT,
          fmt::format("more than {} ranks of a group are in one process", kMostRanksOfProcess));
    }
    if (processes[rank] == transport.process()) own_ = process;
  }
  channel_ = transport.open_channel(members_, tag);
}

Outcome MessageGroup::perform(uint32_t rank, const Operation& operation, const Number& number,
                              Patience patience) {
  if (!transport_.is_open()) return {HCCL_E_NETWORK, "MPI has ended already"};
  if (const std::optional<Outcome> known = failure()) return *known;
  std::optional<Exchange> exchange;
  Outcome outcome;
  try {
    exchange.emplace(*this, rank, operation, number, patience);
    carry_out(*exchange, operation);
    return {};
  } catch (const Failure& why) {
    outcome = {why.result, why.reason};
  } catch (const std::bad_alloc&) {
    outcome = out_of_memory();
  } catch (const std::exception& error) {
    outcome = {HCCL_E_INTERNAL, error.what()};
  }
  fail(outcome);  // before the exchange ends, which waits for the others to let go of its messages
  return outcome;
}

void MessageGroup::leave(uint32_t rank) {
  has_left_[rank].store(true, std::memory_order_release);
  if (transport_.is_open()) tell_others(fmt::format("{}{}", kLeaves, rank));
}

// ---- Failures -----------------------------------------------------------------------------------

std::optional<Outcome> MessageGroup::failure() {
  read_notices();
  if (!has_failed_.load(std::memory_order_acquire)) return {};
  const std::lock_guard lock(mutex_);
  return failure_;
}

void MessageGroup::fail(const Outcome& outcome) {
  {
    const std::lock_guard lock(mutex_);
    if (has_failed_.load(std::memory_order_relaxed)) return;
    failure_ = outcome;
    has_failed_.store(true, std::memory_order_release);
  }
  transport_.give_up();
  // Whoever hears of a timeout has not waited in vain itself.
  const bool is_late = outcome.result == HCCL_E_TIMEOUT;
  tell_others(fmt::format("{}{} {}{}", kFails,
                          static_cast<int>(is_late ? HCCL_E_REMOTE : outcome.result),
                          is_late ? "the group has ended: " : "", outcome.text));
}

void MessageGroup::tell_others(const std::string& text) {
  for (size_t process = 0; process < members_.size(); ++process) {
    if (process != own_) channel_->notify(process, text);
  }
}

void MessageGroup::read_notices() {
  while (const std::optional<Channel::Notice> notice = channel_->next_notice()) {
    const std::string& text = notice->text;
    int number = 0;
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + 1, end, number);
    if (text.front() == kLeaves) {
      has_left_[static_cast<size_t>(number)].store(true, std::memory_order_release);
    } else {
      note({static_cast<HcclResult>(number), std::string(std::min(parsed.ptr + 1, end), end)});
    }
  }
}

// What another process has said.
void MessageGroup::note(const Outcome& outcome) {
  const std::lock_guard lock(mutex_);
  if (has_failed_.load(std::memory_order_relaxed)) return;
  failure_ = outcome;
  has_failed_.store(true, std::memory_order_release);
  transport_.give_up();
}

// ---- Memory -------------------------------------------------------------------------------------

std::vector<unsigned char> MessageGroup::take_scratch(size_t bytes) {
  std::vector<unsigned char> scratch;
  {
    const std::lock_guard lock(mutex_);
    if (!scratch_.empty()) {
      scratch = std::move(scratch_.back());
      scratch_.pop_back();
    }
  }
  if (scratch.size() < bytes) scratch.resize(bytes);
  return scratch;
}

void MessageGroup::give_scratch(std::vector<unsigned char> scratch) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    scratch_.push_back(std::move(scratch));
  } catch (const std::bad_alloc&) {
    // It is freed instead.
  }
}

}  // namespace aclgrad::hccl
