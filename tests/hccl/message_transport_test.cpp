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
  FakeChannel(std::vector<Message>& messages, int looks_of_sends,
              const std::function<void(size_t)>& on_message)
      : messages_(messages), looks_of_sends_(looks_of_sends), on_message_(on_message) {}

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
    on_message_(messages_.size() + 1);
    messages_.push_back(message);
    return {{static_cast<int64_t>(messages_.size()) - 1, 0}};
  }

  std::vector<Message>& messages_;
  const int looks_of_sends_;
  const std::function<void(size_t)> on_message_;
  bool is_told_ = false;
};

class FakeNetwork : public Network {
 public:
  // With each message its number goes to `on_message`, which may fail.
  explicit FakeNetwork(
      int looks_of_sends, std::function<void(size_t)> on_message = [](size_t) {})
      : looks_of_sends_(looks_of_sends), on_message_(std::move(on_message)) {}

  int process() const override { return 0; }
  bool is_oversubscribed() const override { return true; }
  bool is_open() const override { return true; }
  void post(int, const std::string&) override {}
  std::optional<std::string> next_post() override { return {}; }
  std::unique_ptr<Channel> open_channel(const std::vector<int>&, int) override {
    return std::make_unique<FakeChannel>(messages, looks_of_sends_, on_message_);
  }
  void skip_finalize() override {}

  std::vector<Message> messages;

 private:
  const int looks_of_sends_;
  const std::function<void(size_t)> on_message_;
};

// Rank 0 tells rank 1 what it is at, sends to it, and waits for what does not come.
Outcome run(FakeNetwork& network) {
  constexpr uint64_t kBytes = 1 << 20;
  Group group({0, 1}, &network, 0);
  std::vector<unsigned char> sent(kBytes), received(2 * kBytes);
  const Operation operation{{Kind::kAllGather, HCCL_DATA_TYPE_INT8, HCCL_REDUCE_SUM, 0, kBytes},
                            sent.data(),
                            received.data()};
  Outcome outcome = group.perform(0, operation, {}, milliseconds(5));
  const Outcome again = group.perform(0, operation, {}, milliseconds(5));
  const bool is_late = outcome.result == HCCL_E_TIMEOUT;
  EXPECT_EQ(again.result, is_late ? HCCL_E_REMOTE : outcome.result);
  EXPECT_EQ(again.text, (is_late ? "the group has ended: " : "") + outcome.text)
      << "the group goes on";
  return outcome;
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
  EXPECT_EQ(run(network).result, HCCL_E_TIMEOUT);
  expect_nothing_under_way(network, 4);
}

TEST(FailedOperation, LeavesNoMessageWhenMemoryIsExhausted) {
  FakeNetwork network(20, [](size_t number) {
    if (number == 4) throw std::bad_alloc();
  });
  EXPECT_EQ(run(network).result, HCCL_E_MEMORY);
  expect_nothing_under_way(network, 3);
}

TEST(FailedOperation, LeavesNoMessageWhenAnotherCannotBeSent) {
  FakeNetwork network(20, [](size_t number) {
    if (number == 4) throw std::runtime_error("the channel is broken");
  });
  EXPECT_EQ(run(network).result, HCCL_E_INTERNAL);
  expect_nothing_under_way(network, 3);
}

TEST(FailedOperation, DoesNotWaitForEver) {
  FakeNetwork network(kNever);
  const auto begin = steady_clock::now();
  EXPECT_EQ(run(network).result, HCCL_E_TIMEOUT);
  EXPECT_LT(steady_clock::now() - begin, std::chrono::seconds(10));
}

}  // namespace
}  // namespace aclgrad::hccl
