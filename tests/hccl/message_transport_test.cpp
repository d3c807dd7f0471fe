// SPDX-License-Identifier: Apache-2.0
// What an operation that fails leaves behind of its messages. The other rank is a fake one, which
// takes and gives what it likes.
#include "ops/hccl/message_transport.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

namespace aclgrad::hccl {

namespace {
std::function<void(Transport&)> g_operation;
}  // namespace

// In place of the library's.
void carry_out(Transport& transport, const Operation& /*operation*/) { g_operation(transport); }
uint64_t bytes_of(const Operation& /*operation*/, uint32_t /*ranks*/) { return 0; }

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int kNever = -1;

struct Message {
  bool is_send;
  int looks_left;  // until it is over, once the other rank knows of the failure; or kNever
  bool is_over = false;
  bool is_cancelled = false;
};

class FakeChannel : public Channel {
 public:
  FakeChannel(std::vector<Message>& messages, int looks_of_sends, size_t most)
      : messages_(messages), looks_of_sends_(looks_of_sends), most_(most) {}

  Request send(size_t, int, const void*, size_t) override { return add({true, looks_of_sends_}); }
  Request receive(size_t, int, void*, size_t) override { return add({false, kNever}); }
  Progress test(Request& request) override {
    Message& message = messages_.at(static_cast<size_t>(request.handle[0]));
    if (is_told_ && message.looks_left > 0) --message.looks_left;
    message.is_over = message.looks_left == 0;
    return message.is_over ? Progress::kDone : Progress::kPending;
  }
  void cancel(Request& request) override {
    Message& message = messages_.at(static_cast<size_t>(request.handle[0]));
    EXPECT_FALSE(message.is_send);
    message.is_cancelled = true;
    message.looks_left = 2;  // not over at once
  }
  void notify(size_t, const std::string&) override { is_told_ = true; }
  std::optional<Notice> next_notice() override { return {}; }

 private:
  Request add(Message message) {
    if (messages_.size() == most_) throw std::runtime_error("the channel is broken");
    messages_.push_back(message);
    return {{static_cast<int64_t>(messages_.size()) - 1, 0}};
  }

  std::vector<Message>& messages_;
  const int looks_of_sends_;
  const size_t most_;
  bool is_told_ = false;
};

class FakeNetwork : public Network {
 public:
  // No channel takes more than `most` messages.
  explicit FakeNetwork(int looks_of_sends, size_t most = SIZE_MAX)
      : looks_of_sends_(looks_of_sends), most_(most) {}

  int process() const override { return 0; }
  bool is_oversubscribed() const override { return true; }
  bool is_open() const override { return true; }
  void post(int, const std::string&) override {}
  std::optional<std::string> next_post() override { return {}; }
  std::unique_ptr<Channel> open_channel(const std::vector<int>&, int) override {
    return std::make_unique<FakeChannel>(messages, looks_of_sends_, most_);
  }
  void skip_finalize() override {}

  std::vector<Message> messages;

 private:
  const int looks_of_sends_;
  const size_t most_;
};

// Rank 0 tells rank 1 what it is at, sends to it, and then does something that fails.
Outcome run(FakeNetwork& network, const std::function<void(Transport&)>& fail) {
  Group group({0, 1}, &network, 0);
  std::vector<unsigned char> sent(1 << 20), received(1 << 20);
  g_operation = [&](Transport& transport) {
    transport.expect(0, 1, received.data(), received.size());
    transport.offer(0, 1, sent.data(), sent.size());
    fail(transport);
  };
  const Operation operation{{Kind::kAllGather}};
  Outcome outcome = group.perform(0, operation, {}, milliseconds(5));
  const Outcome again = group.perform(0, operation, {}, milliseconds(5));
  const bool is_late = outcome.result == HCCL_E_TIMEOUT;
  EXPECT_EQ(again.result, is_late ? HCCL_E_REMOTE : outcome.result);
  EXPECT_EQ(again.text, (is_late ? "the group has ended: " : "") + outcome.text)
      << "the group goes on";
  return outcome;
}

// It waits for what does not come.
Outcome run_too_late(FakeNetwork& network) {
  return run(network, [](Transport& transport) { transport.wait(0); });
}

void expect_nothing_under_way(const FakeNetwork& network, size_t messages) {
  ASSERT_EQ(network.messages.size(), messages);
  for (const Message& each : network.messages) {
    EXPECT_TRUE(each.is_over) << "the program's memory is still in use";
    EXPECT_EQ(each.is_cancelled, !each.is_send);
  }
}

TEST(FailedOperation, LeavesNoMessageThatTheOtherRankStillTakes) {
  FakeNetwork network(20);
  EXPECT_EQ(run_too_late(network).result, HCCL_E_TIMEOUT);
  expect_nothing_under_way(network, 4);
}

TEST(FailedOperation, LeavesNoMessageWhenMemoryIsExhausted) {
  FakeNetwork network(20);
  EXPECT_EQ(run(network, [](Transport&) { throw std::bad_alloc(); }).result, HCCL_E_MEMORY);
  expect_nothing_under_way(network, 4);
}

TEST(FailedOperation, LeavesNoMessageWhenAnotherCannotBeSent) {
  FakeNetwork network(20, 3);
  EXPECT_EQ(run_too_late(network).result, HCCL_E_INTERNAL);
  expect_nothing_under_way(network, 3);
}

TEST(FailedOperation, DoesNotWaitForEver) {
  FakeNetwork network(kNever);
  const auto begin = steady_clock::now();
  EXPECT_EQ(run_too_late(network).result, HCCL_E_TIMEOUT);
  EXPECT_LT(steady_clock::now() - begin, std::chrono::seconds(10));
}

}  // namespace
}  // namespace aclgrad::hccl
