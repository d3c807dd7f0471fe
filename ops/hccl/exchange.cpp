// SPDX-License-Identifier: Apache-2.0
#include "ops/hccl/exchange.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <set>
#include <thread>
#include <utility>

#include "ops/hccl/data_types.h"

namespace aclgrad::hccl {
namespace {

using std::chrono::steady_clock;

// A longer message goes in several of this length.
constexpr uint64_t kPieceBytes = uint64_t{1} << 26;
static_assert(kPieceBytes <= Channel::kMostBytes);

constexpr Exchange::Batch kGreetings = -1;

// While nothing comes: how long a rank looks without a pause, or none where processes share cores;
// how long it gives others the core between looks; and the time between looks after that.
constexpr std::chrono::milliseconds kSpin{1};
constexpr std::chrono::milliseconds kStayAwake{4};
constexpr std::chrono::microseconds kNap{50};
// Every so many looks are for failures.
constexpr int kLookAroundEvery = 64;
// What a rank sent before it left or failed may still be on its way.
constexpr std::chrono::milliseconds kGrace{200};

Greeting greeting_of(const Operation& operation, const Transfer* transfer, uint32_t peer) {
  Greeting greeting;
  std::memset(&greeting, 0, sizeof greeting);
  greeting.kind = operation.kind;
  if (transfer != nullptr) {
    greeting.is_send = transfer->is_send;
    greeting.dtype = transfer->dtype;
    greeting.count = transfer->count;
  } else {
    greeting.dtype = operation.dtype;
    greeting.op = operation.op;
    greeting.root = operation.root;
    greeting.count = operation.count;
    if (operation.kind == Kind::kAlltoAllV) {
      greeting.count = operation.sent.counts[peer] * size_of(operation.dtype);
      greeting.expected = operation.received.counts[peer] * size_of(operation.received_dtype);
    }
  }
  return greeting;
}

Operation operation_of(const Greeting& greeting) {
  return {.kind = greeting.kind,
          .name = name_of(greeting.kind),
          .count = greeting.count,
          .dtype = greeting.dtype,
          .op = greeting.op,
          .root = greeting.root};
}

std::string describe_transfer(const Greeting& greeting, uint32_t peer) {
  return fmt::format("to {} {} {} {} rank {}", greeting.is_send ? "send" : "receive",
                     greeting.count, name_of(greeting.dtype), greeting.is_send ? "to" : "from",
                     peer);
}

}  // namespace

Exchange::Exchange(MessageGroup& group, uint32_t rank, const Operation& operation,
                   const Number& number, Patience patience)
    : group_(group),
      rank_(rank),
      operation_(operation),
      number_(number),
      patience_(patience),
      deadline_(deadline_after(patience)) {}

Exchange::~Exchange() {
  if (!messages_.empty() && !abandon()) {
    // A message under way may still need it. The group has ended.
    static std::atomic<Memory*> left_behind = nullptr;
    memory_->before = left_behind.exchange(memory_.get());
    memory_.release();
    return;
  }
  for (std::vector<unsigned char>& each : memory_->scratch) group_.give_scratch(std::move(each));
}

unsigned char* Exchange::scratch(size_t bytes) {
  return memory_->scratch.emplace_back(group_.take_scratch(bytes)).data();
}

void Exchange::begin_transfer(const Transfer& transfer) { transfer_ = &transfer; }

// ---- Messages -----------------------------------------------------------------------------------

// From the operation's number, the ranks within their processes, and the phase. Numbers that are
// close to each other give different tags; for those that do not, order is enough.
int Exchange::tag(uint32_t from, uint32_t to, Phase phase) const {
  const Number& number = transfer_ == nullptr ? number_ : transfer_->number;
  const uint64_t low = number.recorded == 0 ? number.run & 0x3ffff
                                            : (number.recorded & 0xfff) << 6 | (number.run & 0x3f);
  uint64_t tag = low << 2 | (number.recorded == 0 ? 0U : 2U) | (transfer_ == nullptr ? 0U : 1U);
  tag = tag << 4 | static_cast<uint64_t>(group_.place_of(from).index);
  tag = tag << 4 | static_cast<uint64_t>(group_.place_of(to).index);
  return static_cast<int>(tag << 2 | static_cast<uint64_t>(phase));
}

// Posts a message that is known from before: what has begun must be taken back after a failure.
template <class Post>
Exchange::Message& Exchange::begin(const Message& message, const Post& post) {
  Message& begun = messages_.emplace_back(message);
  try {
    post(begun);
  } catch (...) {
    messages_.pop_back();
    throw;
  }
  return begun;
}

Exchange::Message& Exchange::begin_send(Batch batch, uint32_t peer, const void* memory,
                                        size_t bytes, Phase phase) {
  const int number = tag(rank_, peer, phase);
  return begin({.batch = batch, .peer = peer, .is_send = true}, [&](Message& message) {
    if (group_.is_here(peer)) {
      message.letter = group_.mailbox().send({rank_, peer, number}, memory, bytes);
    } else {
      message.request = group_.channel().send(group_.place_of(peer).process, number, memory, bytes);
    }
  });
}

Exchange::Message& Exchange::begin_receive(Batch batch, uint32_t peer, void* memory, size_t bytes,
                                           Phase phase) {
  const int number = tag(peer, rank_, phase);
  return begin({.batch = batch, .peer = peer, .is_send = false}, [&](Message& message) {
    if (group_.is_here(peer)) {
      message.letter = group_.mailbox().receive({peer, rank_, number}, memory, bytes);
    } else {
      message.request =
          group_.channel().receive(group_.place_of(peer).process, number, memory, bytes);
    }
  });
}

void Exchange::send(Batch batch, uint32_t peer, const void* memory, uint64_t bytes) {
  const auto* const first = static_cast<const unsigned char*>(memory);
  for (uint64_t at = 0; at < bytes; at += kPieceBytes) {
    begin_send(batch, peer, first + at, std::min(kPieceBytes, bytes - at), Phase::kData);
  }
}

void Exchange::receive(Batch batch, uint32_t peer, void* memory, uint64_t bytes) {
  auto* const first = static_cast<unsigned char*>(memory);
  for (uint64_t at = 0; at < bytes; at += kPieceBytes) {
    begin_receive(batch, peer, first + at, std::min(kPieceBytes, bytes - at), Phase::kData);
  }
}

// The greetings of the two ends of a transfer must not be taken for those of the transfer in the
// other direction.
void Exchange::greet(uint32_t peer) {
  const bool answers = transfer_ != nullptr && !transfer_->is_send;
  const Phase sent = answers ? Phase::kAnswer : Phase::kGreeting;
  const Phase received = transfer_ != nullptr && !answers ? Phase::kAnswer : Phase::kGreeting;
  const Greeting& mine = memory_->greetings.emplace_back(greeting_of(operation_, transfer_, peer));
  Greeting& theirs = memory_->greetings.emplace_back();
  begin_send(kGreetings, peer, &mine, sizeof mine, sent);
  Message& answer = begin_receive(kGreetings, peer, &theirs, sizeof theirs, received);
  answer.mine = &mine;
  answer.theirs = &theirs;
}

// ---- Waiting ------------------------------------------------------------------------------------

void Exchange::check_greeting(const Message& message) const {
  const Greeting& mine = *message.mine;
  const Greeting& theirs = *message.theirs;
  if (mine.kind == Kind::kAlltoAllV && theirs.kind == Kind::kAlltoAllV) {
    if (mine.expected == theirs.count && mine.count == theirs.expected) return;
    const bool is_sent = mine.count != theirs.expected;
    fail(HCCL_E_PARA,
         fmt::format("{}: rank {} sends {} bytes to rank {}, which expects {}", operation_.name,
                     is_sent ? rank_ : message.peer, is_sent ? mine.count : theirs.count,
                     is_sent ? message.peer : rank_, is_sent ? theirs.expected : mine.expected));
  }
  const bool is_transfer = mine.kind == Kind::kTransfers;
  if (is_transfer && mine.count == theirs.count && mine.dtype == theirs.dtype) return;
  if (!is_transfer && agree(operation_of(mine), operation_of(theirs))) return;
  const auto tell = [&](const Greeting& greeting, uint32_t peer) {
    return is_transfer ? describe_transfer(greeting, peer)
                       : "at " + describe(operation_of(greeting));
  };
  fail(HCCL_E_PARA, fmt::format("the ranks disagree: rank {} is {}, rank {} {}", rank_,
                                tell(mine, message.peer), message.peer, tell(theirs, rank_)));
}

// What the end of a message means.
void Exchange::settle(const Message& message, Progress progress) {
  if (progress == Progress::kFailed) {
    fail(HCCL_E_REMOTE,
         fmt::format("{}: the connection to rank {} failed", operation_.name, message.peer));
  }
  if (progress == Progress::kDone) {
    if (message.theirs != nullptr) check_greeting(message);
    return;
  }
  is_unequal_ = true;
}

// Takes out what is over; whether there was any. In one pass: with many ranks there are many
// messages.
bool Exchange::advance() {
  over_.clear();
  over_.reserve(messages_.size());  // from here on nothing may fail for want of memory
  size_t kept = 0;
  for (Message& each : messages_) {
    const Progress progress =
        each.letter ? each.letter->progress() : group_.channel().test(each.request);
    if (progress != Progress::kPending) {
      over_.emplace_back(std::move(each), progress);
    } else if (Message& place = messages_[kept++]; &place != &each) {
      place = std::move(each);
    }
  }
  messages_.erase(messages_.begin() + static_cast<std::ptrdiff_t>(kept), messages_.end());
  for (const auto& [message, progress] : over_) settle(message, progress);
  return !over_.empty();
}

// Whether there is still a point in waiting.
void Exchange::look_around(steady_clock::duration idle) const {
  if (const std::optional<Outcome> known = group_.failure()) {
    throw Failure(known->result, known->text);
  }
  if (deadline_ && steady_clock::now() >= *deadline_) {
    std::set<uint32_t> peers;
    for (const Message& each : messages_) peers.insert(each.peer);
    fail(HCCL_E_TIMEOUT,
         fmt::format("rank{} {} did not come to {} within {}", peers.size() == 1 ? "" : "s",
                     fmt::join(peers, ", "), describe(operation_), to_text(*patience_)));
  }
  for (const Message& each : messages_) {
    if (idle > kGrace && group_.has_left(each.peer)) {
      fail(HCCL_E_REMOTE, fmt::format("{} waits for rank {}, which has destroyed its communicator",
                                      operation_.name, each.peer));
    }
  }
}

void Exchange::wait_while(const std::function<bool()>& is_waiting) {
  const steady_clock::duration spin = group_.is_crowded() ? steady_clock::duration() : kSpin;
  int looks = 0;
  auto last_progress = steady_clock::now();
  while (is_waiting()) {
    if (advance()) {
      looks = 0;
      continue;
    }
    if (looks == 0) last_progress = steady_clock::now();
    const auto idle = steady_clock::now() - last_progress;
    if (++looks % kLookAroundEvery == 0) look_around(idle);
    if (idle < spin) continue;
    if (idle < kStayAwake) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(kNap);
    }
  }
}

bool Exchange::is_waiting_for(Batch batch) const {
  return std::any_of(messages_.begin(), messages_.end(),
                     [&](const Message& each) { return each.batch == batch; });
}

void Exchange::wait(Batch batch) {
  wait_while([&] { return is_waiting_for(batch) || (is_unequal_ && is_waiting_for(kGreetings)); });
  if (is_unequal_) {
    fail(HCCL_E_INTERNAL, fmt::format("{}: a message has the wrong length", operation_.name));
  }
}

void Exchange::wait_for_all() {
  while (!messages_.empty()) wait(messages_.front().batch);
}

void Exchange::refuse_own(uint64_t sent, uint64_t expected) {
  fail(HCCL_E_PARA, fmt::format("{}: rank {} sends {} bytes to rank {}, which expects {}",
                                operation_.name, rank_, sent, rank_, expected));
}

// The buffers are the program's again afterwards. The others know of the failure by now: what they
// have begun to take they take at once, and nothing else any more. False where one hangs.
bool Exchange::abandon() {
  for (Message& each : messages_) {
    if (each.letter) {
      Mailbox::withdraw(*each.letter);
    } else if (!each.is_send) {
      group_.channel().cancel(each.request);
    }
  }
  std::erase_if(messages_, [](const Message& each) { return each.letter != nullptr; });
  const auto end = steady_clock::now() + kGrace;
  while (true) {
    std::erase_if(messages_, [&](Message& each) {
      return group_.channel().test(each.request) != Progress::kPending;
    });
    if (messages_.empty()) return true;
    if (steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(kNap);
  }
}

void Exchange::fail(HcclResult result, std::string text) const {
  group_.fail({result, text});
  throw Failure(result, std::move(text));
}

}  // namespace aclgrad::hccl
