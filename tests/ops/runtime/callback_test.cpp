// SPDX-License-Identifier: Apache-2.0
// Host functions, and callbacks on a thread of the program.
#include <pthread.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support.h"

namespace aclgrad::test {
namespace {

uint64_t this_thread() { return static_cast<uint64_t>(pthread_self()); }

void increment(void* argument) { ++*static_cast<std::atomic<int>*>(argument); }

using HostFunction = StreamTest;

TEST_F(HostFunction, RunsInStreamOrderOnAnotherThread) {
  struct Seen {
    std::vector<int> order;
    std::thread::id thread;
  } seen;
  queue(stream_, [&] { seen.order.push_back(1); });
  ASSERT_EQ(aclrtLaunchHostFunc(
                stream_,
                [](void* argument) {
                  auto& where = *static_cast<Seen*>(argument);
                  where.order.push_back(2);
                  where.thread = std::this_thread::get_id();
                },
                &seen),
            ACL_SUCCESS);
  queue(stream_, [&] { seen.order.push_back(3); });
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_THAT(seen.order, testing::ElementsAre(1, 2, 3));
  EXPECT_NE(seen.thread, std::this_thread::get_id()) << "the waiting thread must not run it";
}

TEST_F(HostFunction, WorksInTheDefaultStream) {
  std::atomic<int> count{0};
  EXPECT_EQ(aclrtLaunchHostFunc(nullptr, increment, &count), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  EXPECT_EQ(count, 1);
}

TEST_F(HostFunction, DoesNotMixWithSubscribedThreads) {
  ASSERT_EQ(aclrtSubscribeReport(this_thread(), stream_), ACL_SUCCESS);
  std::atomic<int> count{0};
  EXPECT_TRUE(
      fails(aclrtLaunchHostFunc(stream_, increment, &count), 107011, {"aclrtLaunchHostFunc"}));
  EXPECT_EQ(aclrtUnSubscribeReport(this_thread(), stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchHostFunc(stream_, increment, &count), ACL_SUCCESS);
  EXPECT_TRUE(
      fails(aclrtSubscribeReport(this_thread(), stream_), 107011, {"aclrtSubscribeReport"}));
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(count, 1);
}

// A thread of the program that processes callbacks until stop().
class Processor {
 public:
  Processor() : thread_([this] { run(); }) { id_ = ready_.get_future().get(); }
  ~Processor() { stop(); }

  uint64_t id() const { return id_; }
  std::thread::id thread_id() const { return thread_.get_id(); }

  void stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }

 private:
  void run() {
    ready_.set_value(this_thread());
    while (!stop_) aclrtProcessReport(1);
    clear_errors();
  }

  std::promise<uint64_t> ready_;
  std::atomic<bool> stop_{false};
  uint64_t id_ = 0;
  std::thread thread_;
};

using Callback = StreamTest;

TEST_F(Callback, RunsOnTheSubscribedThread) {
  Processor processor;
  ASSERT_EQ(aclrtSubscribeReport(processor.id(), stream_), ACL_SUCCESS);
  std::promise<std::thread::id> ran_on;
  ASSERT_EQ(aclrtLaunchCallback(
                [](void* argument) {
                  static_cast<std::promise<std::thread::id>*>(argument)->set_value(
                      std::this_thread::get_id());
                },
                &ran_on, ACL_CALLBACK_NO_BLOCK, stream_),
            ACL_SUCCESS);
  EXPECT_EQ(ran_on.get_future().get(), processor.thread_id());
  EXPECT_EQ(aclrtUnSubscribeReport(processor.id(), stream_), ACL_SUCCESS);
}

TEST_F(Callback, BlockingOnesHoldLaterTasksUp) {
  Processor processor;
  ASSERT_EQ(aclrtSubscribeReport(processor.id(), stream_), ACL_SUCCESS);
  std::vector<int> order;
  struct Slow {
    std::vector<int>* order;
  } slow{&order};
  ASSERT_EQ(aclrtLaunchCallback(
                [](void* argument) {
                  std::this_thread::sleep_for(std::chrono::milliseconds(10));
                  static_cast<Slow*>(argument)->order->push_back(1);
                },
                &slow, ACL_CALLBACK_BLOCK, stream_),
            ACL_SUCCESS);
  queue(stream_, [&] { order.push_back(2); });
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_THAT(order, testing::ElementsAre(1, 2));
}

TEST_F(Callback, OthersDoNot) {
  // This thread is the one that has to process, and does so only after the stream went on.
  ASSERT_EQ(aclrtSubscribeReport(this_thread(), stream_), ACL_SUCCESS);
  std::atomic<int> count{0};
  ASSERT_EQ(aclrtLaunchCallback(increment, &count, ACL_CALLBACK_NO_BLOCK, stream_), ACL_SUCCESS);
  bool ran = false;
  queue(stream_, [&] { ran = true; });
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_TRUE(ran);
  EXPECT_EQ(count, 0);
  EXPECT_EQ(aclrtProcessReport(1000), ACL_SUCCESS);
  EXPECT_EQ(count, 1);
}

TEST_F(Callback, OnePerReturnInOrder) {
  ASSERT_EQ(aclrtSubscribeReport(this_thread(), stream_), ACL_SUCCESS);
  std::atomic<int> count{0};
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(aclrtLaunchCallback(increment, &count, ACL_CALLBACK_BLOCK, stream_), ACL_SUCCESS);
  }
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(aclrtProcessReport(-1), ACL_SUCCESS);
    EXPECT_EQ(count, i);
  }
  EXPECT_TRUE(fails(aclrtProcessReport(1), 507012, {"aclrtProcessReport"}));
}

TEST_F(Callback, ABlockedStreamTimesOut) {
  ASSERT_EQ(aclrtSubscribeReport(this_thread(), stream_), ACL_SUCCESS);
  std::atomic<int> count{0};
  ASSERT_EQ(aclrtLaunchCallback(increment, &count, ACL_CALLBACK_BLOCK, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream_, 5), 507046);
  EXPECT_EQ(aclrtProcessReport(1000), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
}

TEST_F(Callback, ChecksComeInTheDocumentedOrder) {
  const auto bad_block = no_member<aclrtCallbackBlockType>(2);
  EXPECT_TRUE(fails(aclrtLaunchCallback(nullptr, nullptr, bad_block, stream_), 100000,
                    {"aclrtLaunchCallback", "blockType", "2"}));
  EXPECT_TRUE(
      fails(aclrtLaunchCallback(nullptr, nullptr, ACL_CALLBACK_BLOCK, stream_), 107000, {"fn"}));
  EXPECT_TRUE(fails(aclrtLaunchCallback(increment, nullptr, ACL_CALLBACK_BLOCK, stream_), 107015,
                    {"aclrtSubscribeReport"}));
  for (const int32_t timeout : {0, -2}) {
    EXPECT_TRUE(fails(aclrtProcessReport(timeout), 100000, {"aclrtProcessReport", "timeout"}));
  }
  EXPECT_TRUE(fails(aclrtProcessReport(1), 107012, {"not subscribed"}));
}

TEST_F(Callback, SubscriptionsAreExclusive) {
  ASSERT_EQ(aclrtSubscribeReport(this_thread(), stream_), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtSubscribeReport(this_thread(), stream_), 107011, {"stream"}));
  EXPECT_TRUE(fails(aclrtUnSubscribeReport(12345, stream_), 107012, {"threadId", "12345"}));
  EXPECT_EQ(aclrtUnSubscribeReport(this_thread(), stream_), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtUnSubscribeReport(this_thread(), stream_), 107015, {"no thread"}));
  EXPECT_TRUE(fails(aclrtProcessReport(1), 107012, {"not subscribed"}));
  EXPECT_EQ(aclrtSubscribeReport(this_thread(), nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtUnSubscribeReport(this_thread(), nullptr), ACL_SUCCESS);
}

TEST_F(Callback, UnsubscribingCancelsWhatWaits) {
  ASSERT_EQ(aclrtSubscribeReport(this_thread(), stream_), ACL_SUCCESS);
  std::atomic<int> count{0};
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(aclrtLaunchCallback(increment, &count, ACL_CALLBACK_BLOCK, stream_), ACL_SUCCESS);
  }
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream_, 5), 507046);
  EXPECT_EQ(aclrtUnSubscribeReport(this_thread(), stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS) << "no longer blocked";
  EXPECT_EQ(count, 0);
}

TEST_F(Callback, OneThreadServesSeveralStreams) {
  const aclrtStream other = new_stream();
  ASSERT_EQ(aclrtSubscribeReport(this_thread(), stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtSubscribeReport(this_thread(), other), ACL_SUCCESS);
  std::atomic<int> count{0};
  for (const aclrtStream stream : {stream_, other}) {
    ASSERT_EQ(aclrtLaunchCallback(increment, &count, ACL_CALLBACK_BLOCK, stream), ACL_SUCCESS);
  }
  EXPECT_EQ(aclrtProcessReport(1000), ACL_SUCCESS);
  EXPECT_EQ(aclrtProcessReport(1000), ACL_SUCCESS);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(aclrtDestroyStream(other), ACL_SUCCESS) << "ends its subscription";
  EXPECT_TRUE(fails(aclrtProcessReport(1), 507012, {"aclrtProcessReport"}));
}

TEST_F(Callback, ForcedDestroyingDoesNotWaitForCallbacks) {
  ASSERT_EQ(aclrtSubscribeReport(this_thread(), stream_), ACL_SUCCESS);
  std::atomic<int> count{0};
  ASSERT_EQ(aclrtLaunchCallback(increment, &count, ACL_CALLBACK_BLOCK, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStreamForce(stream_), ACL_SUCCESS);
  EXPECT_EQ(count, 0);
}

TEST_F(Callback, OneThatThrowsHoldsNothingUp) {
  ASSERT_EQ(aclrtSubscribeReport(this_thread(), stream_), ACL_SUCCESS);
  const aclrtCallback throwing[] = {[](void*) { throw std::runtime_error("no luck today"); },
                                    [](void*) { throw 3; }};
  const char* const words[] = {"no luck today", "unknown type"};
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(aclrtLaunchCallback(throwing[i], nullptr, ACL_CALLBACK_BLOCK, stream_), ACL_SUCCESS);
    EXPECT_TRUE(fails(aclrtProcessReport(10000), 500000, {"aclrtProcessReport", words[i]}));
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream_, 10000), ACL_SUCCESS);
  }
}

}  // namespace
}  // namespace aclgrad::test
