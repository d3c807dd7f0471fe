// SPDX-License-Identifier: Apache-2.0
// What an operation that fails leaves behind of its messages. The other rank is a fake one, which
// takes and gives what it likes.
#include "ops/hccl/exchange.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "ops/hccl/message_group.h"
#include "ops/hccl/message_operations.h"

namespace aclgrad::hccl {

namespace {
std::function<void(Exchange&)> g_operation;
}  // namespace

// In place of the library's.
void carry_out(Exchange& exchange, const Operation& /*operation*/) { g_operation(exchange); }

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
  FakeChannel(std::vector<Message>& messages, int looks_of_sends)
      : messages_(messages), looks_of_sends_(looks_of_sends) {}

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
    messages_.push_back(message);
    return {{static_cast<int64_t>(messages_.size()) - 1, 0}};
  }

  std::vector<Message>& messages_;
  int looks_of_sends_;
  bool is_told_ = false;
};

class FakeTransport : public Transport {
 public:
  explicit FakeTransport(int looks_of_sends) : looks_of_sends_(looks_of_sends) {}

  int process() const override { return 0; }
  bool is_crowded() const override { return true; }
  bool is_open() const override { return true; }
  void post(int, const std::string&) override {}
  std::optional<std::string> next_post() override { return {}; }
  std::unique_ptr<Channel> open_channel(const std::vector<int>&, int) override {
    return std::make_unique<FakeChannel>(messages, looks_of_sends_);
  }
  void give_up() override {}

  std::vector<Message> messages;

 private:
  int looks_of_sends_;
};

// Rank 0 sends to rank 1 and waits for it, which takes too long.
Outcome run_too_late(FakeTransport& transport) {
  MessageGroup group(transport, {0, 1}, 0);
  std::vector<unsigned char> sent(1 << 20), received(1 << 20);
  g_operation = [&](Exchange& exchange) {
    exchange.greet(1);
    exchange.receive(0, 1, received.data(), received.size());
    exchange.send(0, 1, sent.data(), sent.size());
    exchange.wait(0);
  };
  return group.perform(0, {.kind = Kind::kAllGather, .name = "HcclAllGather"}, {}, milliseconds(5));
}

TEST(FailedExchange, LeavesNoMessageThatTheOtherRankStillTakes) {
  FakeTransport transport(20);
  EXPECT_EQ(run_too_late(transport).result, HCCL_E_TIMEOUT);
  ASSERT_EQ(transport.messages.size(), 4U);
  for (const Message& each : transport.messages) {
    EXPECT_TRUE(each.is_over) << "the program's memory is still in use";
    EXPECT_EQ(each.is_cancelled, !each.is_send);
  }
}

TEST(FailedExchange, DoesNotWaitForEver) {
  FakeTransport transport(kNever);
  const auto begin = steady_clock::now();
  EXPECT_EQ(run_too_late(transport).result, HCCL_E_TIMEOUT);
  EXPECT_LT(steady_clock::now() - begin, std::chrono::seconds(10));
}

}  // namespace
}  // namespace aclgrad::hccl
