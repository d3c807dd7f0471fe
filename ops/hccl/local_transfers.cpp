// SPDX-License-Identifier: Apache-2.0
// Transfers between two ranks of a process: whoever comes second copies.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>

#include "ops/hccl/data_types.h"
#include "ops/hccl/local_group.h"

namespace aclgrad::hccl {
namespace {

const char* direction(const Transfer& transfer) { return transfer.is_send ? "send" : "receive"; }

Outcome late_transfer(uint32_t rank, const Transfer& transfer, std::chrono::milliseconds patience) {
  try {
    return {HCCL_E_TIMEOUT,
            fmt::format("rank {} did not come to the {} of rank {} within {}", transfer.peer,
                        direction(transfer), rank, to_text(patience))};
  } catch (const std::bad_alloc&) {
    return {HCCL_E_TIMEOUT, ""};
  }
}

}  // namespace

Outcome LocalGroup::transfer(Lock& lock, uint32_t rank, const Operation& operation,
                             Patience patience) {
  const Deadline deadline = deadline_after(patience);
  std::condition_variable changed;
  std::deque<Post> mine;  // which others point to
  waiting_for_transfers_.push_back(&changed);
  try {
    for (const Transfer& each : operation.transfers) {
      mine.push_back({.transfer = &each, .changed = &changed});
      if (!failure_) post(lock, rank, mine.back());
    }
  } catch (const std::bad_alloc&) {
    fail(out_of_memory());
  }
  const auto waits = [](const Post& each) { return !each.is_done; };
  const auto is_held = [](const Post& each) { return each.is_met && !each.is_done; };
  const auto over = [&] {
    return std::none_of(mine.begin(), mine.end(), failure_ ? +is_held : +waits);
  };
  if (!deadline) {
    changed.wait(lock, over);
  } else if (!changed.wait_until(lock, *deadline, over) && !failure_) {
    fail(late_transfer(rank, *std::find_if(mine.begin(), mine.end(), waits)->transfer, *patience));
  }
  changed.wait(lock, [&] { return std::none_of(mine.begin(), mine.end(), is_held); });
  std::erase(waiting_for_transfers_, &changed);
  std::erase_if(posts_, [&](const auto& entry) {
    return std::any_of(mine.begin(), mine.end(),
                       [&](const Post& each) { return &each == entry.second; });
  });
  if (std::none_of(mine.begin(), mine.end(), waits)) return {};
  return failure(/*was_waiting=*/true);
}

// Copies when the other end is there already; else leaves word for it.
void LocalGroup::post(Lock& lock, uint32_t rank, Post& mine) {
  const Transfer& here = *mine.transfer;
  const TransferKey key{here.is_send ? rank : here.peer, here.is_send ? here.peer : rank,
                        here.number};
  const auto found = posts_.find(key);
  if (found == posts_.end()) {
    if (has_left_[here.peer]) {
      fail({HCCL_E_REMOTE,
            fmt::format("rank {} waits to {} with rank {}, which has destroyed its communicator",
                        rank, direction(here), here.peer)});
    } else {
      posts_.emplace(key, &mine);
    }
    return;
  }
  Post& other = *found->second;
  const Transfer& there = *other.transfer;
  if (here.count != there.count || here.dtype != there.dtype) {
    fail(
        {HCCL_E_PARA, fmt::format("the ranks disagree: rank {} is to {} {} {}, rank {} to {} {} {}",
                                  rank, direction(here), here.count, name_of(here.dtype), here.peer,
                                  direction(there), there.count, name_of(there.dtype))});
    return;
  }
  posts_.erase(found);
  other.is_met = true;
  lock.unlock();
  const Transfer& source = here.is_send ? here : there;
  const Transfer& target = here.is_send ? there : here;
  std::memmove(target.memory, source.memory, source.count * size_of(source.dtype));
  lock.lock();
  mine.is_done = true;
  other.is_done = true;
  other.changed->notify_all();
}

}  // namespace aclgrad::hccl
