// SPDX-License-Identifier: Apache-2.0
#include "ops/hccl/message_transport.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>
#include <utility>

#include "ops/hccl/algorithm.h"
#include "ops/hccl/data_types.h"

namespace aclgrad::hccl {
namespace {

using std::chrono::steady_clock;

// A longer message goes in several of this length.
constexpr uint64_t kPieceBytes = uint64_t{1} << 26;
static_assert(kPieceBytes <= Channel::kMaxBytes);

constexpr Transport::Batch kHandshakes = -1;
constexpr Transport::Batch kTransfers = 0;

// While nothing comes from another process: how long a rank looks without a pause, or none where
// processes share cores; how long it gives others the core between looks; and the time between
// looks after that. Within a process a rank is woken, and looks for failures this often.
constexpr std::chrono::milliseconds kSpin{1};
constexpr std::chrono::milliseconds kStayAwake{4};
constexpr std::chrono::microseconds kNap{50};
constexpr std::chrono::milliseconds kNapWithin{10};
// Every so many looks are for failures.
constexpr int kCheckOthersEvery = 64;
// What a rank sent before it left or failed may still be on its way.
constexpr std::chrono::milliseconds kGrace{200};

}  // namespace

MessageTransport::MessageTransport(Group& group, uint32_t rank, const Operation& operation,
                                   const Number& number, Timeout timeout)
    : Transport(rank, group.size()),
      group_(group),
      operation_(operation),
      number_(number),
      timeout_(timeout),
      deadline_(deadline_after(timeout)),
      waiter_(group.mailbox()) {}

MessageTransport::~MessageTransport() {
  if (!messages_.empty() && !cancel_all()) {
    // A message under way may still need it. The group has ended.
    static std::atomic<Memory*> left_behind = nullptr;
    memory_->before = left_behind.exchange(memory_.get());
    memory_.release();
    return;
  }
  for (std::vector<unsigned char>& each : memory_->rooms) group_.give_scratch(std::move(each));
}

void MessageTransport::perform() {
  for (const Transfer& each : operation_.transfers) {
    transfer_ = &each;
    shake_hands(each.peer, each.signature());
    post_data(each.is_send, kTransfers, each.peer, each.memory, each.count * size_of(each.dtype));
  }
  if (!is_transfer(operation_.kind)) {
    compare_with_others();
    carry_out(*this, operation_);
  }
  while (!messages_.empty()) wait(messages_.front().batch);
}

void MessageTransport::compare_with_others() {
  // Counts of AlltoAllV are a matter between each two, and of the rank with itself.
  const bool is_between_two = operation_.kind == Kind::kAlltoAllV;
  if (is_between_two) {
    const Signature own = operation_.signature_for(rank());
    std::string wrong = find_disagreement(rank(), own, rank(), own);
    if (!wrong.empty()) throw Failure(HCCL_E_PARA, std::move(wrong));
  }
  for (uint32_t i = 1; i < size(); ++i) {
    if (!is_between_two && size() > kCompareWithAll && i > 1 && i < size() - 1) continue;
    shake_hands(next(i), operation_.signature_for(next(i)));
  }
}

// ---- Messages -----------------------------------------------------------------------------------

unsigned char* MessageTransport::room(size_t bytes) {
  return memory_->rooms.emplace_back(group_.take_scratch(bytes)).data();
}

const void* MessageTransport::read(Batch batch, uint32_t peer, uint64_t offset, uint64_t bytes,
                                   void* room) {
  if (peer == rank()) return static_cast<const unsigned char*>(operation_.send) + offset;
  post_data(/*is_send=*/false, batch, peer, room, bytes);
  return room;
}

void MessageTransport::offer(Batch batch, uint32_t peer, const void* memory, uint64_t bytes) {
  if (peer != rank()) post_data(/*is_send=*/true, batch, peer, const_cast<void*>(memory), bytes);
}

void MessageTransport::expect(Batch batch, uint32_t peer, void* memory, uint64_t bytes) {
  post_data(/*is_send=*/false, batch, peer, memory, bytes);
}

// From the operation's number, the ranks within their processes, and the purpose. Numbers that are
// close to each other give different tags; for those that do not, order is enough.
int MessageTransport::tag(uint32_t from, uint32_t to, Purpose purpose) const {
  const Number& number = transfer_ == nullptr ? number_ : transfer_->number;
  const uint64_t low = number.recorded == 0 ? number.run & 0x3ffff
                                            : (number.recorded & 0xfff) << 6 | (number.run & 0x3f);
  uint64_t tag = low << 2 | (number.recorded == 0 ? 0U : 2U) | (transfer_ == nullptr ? 0U : 1U);
  tag = tag << 4 | (static_cast<uint64_t>(group_.location_of(from).index) & 0xf);
  tag = tag << 4 | (static_cast<uint64_t>(group_.location_of(to).index) & 0xf);
  return static_cast<int>(tag << 2 | static_cast<uint64_t>(purpose));
}

// The message is known before it is posted: what has begun must be taken back after a failure.
MessageTransport::Message& MessageTransport::post(bool is_send, Batch batch, uint32_t peer,
                                                  void* memory, size_t bytes, Purpose purpose) {
  const uint32_t from = is_send ? rank() : peer, to = is_send ? peer : rank();
  const int number = tag(from, to, purpose);
  Message& message = messages_.emplace_back(Message{batch, peer, is_send});
  try {
    const size_t process = group_.location_of(peer).process;
    if (group_.is_here(peer)) {
      message.pending = waiter_.post(is_send, {from, to, number}, memory, bytes);
    } else if (is_send) {
      message.request = group_.channel().send(process, number, memory, bytes);
    } else {
      message.request = group_.channel().receive(process, number, memory, bytes);
    }
  } catch (...) {
    messages_.pop_back();
    throw;
  }
  return message;
}

void MessageTransport::post_data(bool is_send, Batch batch, uint32_t peer, void* memory,
                                 uint64_t bytes) {
  for (uint64_t at = 0; at < bytes; at += kPieceBytes) {
    post(is_send, batch, peer, static_cast<unsigned char*>(memory) + at,
         std::min(kPieceBytes, bytes - at), Purpose::kData);
  }
}

// The handshakes of the two ends of a transfer must not be taken for those of the transfer in the
// other direction.
void MessageTransport::shake_hands(uint32_t peer, const Signature& signature) {
  const bool answers = signature.kind == Kind::kRecv;
  const Purpose sent = answers ? Purpose::kAnswer : Purpose::kHandshake;
  const Purpose received = signature.kind == Kind::kSend ? Purpose::kAnswer : Purpose::kHandshake;
  Handshake& both = memory_->handshakes.emplace_back(Handshake{signature, signature});
  post(/*is_send=*/true, kHandshakes, peer, &both.mine, sizeof both.mine, sent);
  post(/*is_send=*/false, kHandshakes, peer, &both.theirs, sizeof both.theirs, received).handshake =
      &both;
}

// ---- Waiting ------------------------------------------------------------------------------------

Progress MessageTransport::test(Message& message) const {
  return message.pending ? message.pending->progress.load(std::memory_order_acquire)
                         : group_.channel().test(message.request);
}

// Takes out what is over, and sees to how it ended; whether there was any. In one pass: with many
// ranks there are many messages.
bool MessageTransport::advance() {
  over_.clear();
  over_.reserve(messages_.size());  // from here on nothing may fail for want of memory
  std::erase_if(messages_, [&](Message& each) {
    const Progress progress = test(each);
    if (progress != Progress::kPending) over_.emplace_back(each, progress);
    return progress != Progress::kPending;
  });
  for (const auto& [message, progress] : over_) {
    if (progress == Progress::kFailed) {
      throw Failure(HCCL_E_REMOTE, fmt::format("{}: the connection to rank {} failed",
                                               name_of(operation_.kind), message.peer));
    }
    if (progress == Progress::kWrongSize) {
      is_unequal_ = true;
    } else if (message.handshake != nullptr) {
      const auto& [mine, theirs] = *message.handshake;
      std::string wrong = find_disagreement(rank(), mine, message.peer, theirs);
      if (!wrong.empty()) throw Failure(HCCL_E_PARA, std::move(wrong));
    }
  }
  return !over_.empty();
}

// Whether there is still a point in waiting.
void MessageTransport::check_others(steady_clock::duration idle) const {
  if (const std::optional<Outcome> known = group_.failure()) throw Failure(*known);
  if (deadline_ && steady_clock::now() >= *deadline_) {
    std::set<uint32_t> peers;
    for (const Message& each : messages_) peers.insert(each.peer);
    throw Failure(did_not_come({peers.begin(), peers.end()}, operation_, timeout_));
  }
  for (const Message& each : messages_) {
    if (idle > kGrace && group_.has_left(each.peer)) {
      throw Failure(has_left_already(each.peer, operation_));
    }
  }
}

void MessageTransport::wait(Batch batch) {
  const auto is_waiting_for = [&](Batch which) {
    return std::any_of(messages_.begin(), messages_.end(),
                       [&](const Message& each) { return each.batch == which; });
  };
  const bool is_local = group_.is_local();
  const auto spin = is_local || group_.is_oversubscribed() ? kSpin * 0 : kSpin;
  int looks = 0;
  auto last_progress = steady_clock::now();
  while (is_waiting_for(batch) || (is_unequal_ && is_waiting_for(kHandshakes))) {
    if (advance()) {
      looks = 0;
      continue;
    }
    if (looks == 0) last_progress = steady_clock::now();
    const auto idle = steady_clock::now() - last_progress;
    if (++looks % kCheckOthersEvery == 0 || is_local) check_others(idle);
    if (idle < spin) continue;
    if (idle < kStayAwake && !is_local) {
      std::this_thread::yield();
    } else {
      waiter_.sleep(is_local ? kNapWithin : kNap);
    }
  }
  if (is_unequal_) {
    throw Failure(HCCL_E_INTERNAL,
                  fmt::format("{}: a message has the wrong length", name_of(operation_.kind)));
  }
}

// The buffers are the program's again afterwards. The others know of the failure by now: what they
// have begun to take they take at once, and nothing else any more. False where one hangs.
bool MessageTransport::cancel_all() {
  for (Message& each : messages_) {
    if (each.pending) {
      waiter_.cancel(*each.pending);
    } else if (!each.is_send) {
      group_.channel().cancel(each.request);
    }
  }
  std::erase_if(messages_, [](const Message& each) { return each.pending != nullptr; });
  const auto end = steady_clock::now() + kGrace;
  while (true) {
    std::erase_if(messages_, [&](Message& each) { return test(each) != Progress::kPending; });
    if (messages_.empty()) return true;
    if (steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(kNap);
  }
}

}  // namespace aclgrad::hccl
