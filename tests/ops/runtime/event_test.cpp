// SPDX-License-Identifier: Apache-2.0
// Events: the three kinds, recording, waiting, asking, timing.
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "support.h"

namespace aclgrad::test {
namespace {

class Event : public StreamTest {
 protected:
  void SetUp() override {
    StreamTest::SetUp();
    ASSERT_EQ(aclrtCreateStream(&other_), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateEvent(&event_), ACL_SUCCESS);
  }

  aclrtEvent with_flag(uint32_t flag) {
    aclrtEvent event = nullptr;
    EXPECT_EQ(aclrtCreateEventWithFlag(&event, flag), ACL_SUCCESS);
    return event;
  }

  aclrtEvent extended(uint32_t flag) {
    aclrtEvent event = nullptr;
    EXPECT_EQ(aclrtCreateEventExWithFlag(&event, flag), ACL_SUCCESS);
    return event;
  }

  aclrtEventStatus status(aclrtEvent event) {
    aclrtEventStatus status = ACL_EVENT_STATUS_RESERVED;
    EXPECT_EQ(aclrtQueryEvent(event, &status), ACL_SUCCESS);
    return status;
  }

  aclrtEventRecordedStatus recorded(aclrtEvent event) {
    auto status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    EXPECT_EQ(aclrtQueryEventStatus(event, &status), ACL_SUCCESS);
    return status;
  }

  aclrtEventWaitStatus waited(aclrtEvent event) {
    aclrtEventWaitStatus status = ACL_EVENT_WAIT_STATUS_RESERVED;
    EXPECT_EQ(aclrtQueryEventWaitStatus(event, &status), ACL_SUCCESS);
    return status;
  }

  aclrtStream other_ = nullptr;
  aclrtEvent event_ = nullptr;
};

TEST_F(Event, FlagsAreChecked) {
  aclrtEvent event = nullptr;
  for (const uint32_t flag : {0U, 0x4U, 0x80U, 0x100U | ACL_EVENT_SYNC}) {
    EXPECT_TRUE(fails(aclrtCreateEventWithFlag(&event, flag), 107000, {"flag"})) << flag;
    EXPECT_TRUE(fails(aclrtCreateEventExWithFlag(&event, flag), 107000, {"flag"})) << flag;
  }
  for (const uint32_t exclusive : {ACL_EVENT_EXTERNAL, ACL_EVENT_IPC}) {
    EXPECT_EQ(aclrtCreateEventExWithFlag(&event, exclusive), ACL_SUCCESS);
    EXPECT_TRUE(
        fails(aclrtCreateEventExWithFlag(&event, exclusive | ACL_EVENT_SYNC), 107000, {"flag"}));
  }
}

TEST_F(Event, DestroyedOrForeignHandlesAreRecognised) {
  ASSERT_EQ(aclrtDestroyEvent(event_), ACL_SUCCESS);
  for (const aclrtEvent bad : {event_, static_cast<aclrtEvent>(stream_)}) {
    aclrtEventStatus status{};
    float ms = 0;
    EXPECT_TRUE(fails(aclrtDestroyEvent(bad), 107017, {"aclrtDestroyEvent", "event"}));
    EXPECT_TRUE(fails(aclrtRecordEvent(bad, stream_), 107017, {"aclrtRecordEvent", "event"}));
    EXPECT_TRUE(fails(aclrtResetEvent(bad, stream_), 107017, {"aclrtResetEvent"}));
    EXPECT_TRUE(fails(aclrtStreamWaitEvent(stream_, bad), 107017, {"event"}));
    EXPECT_TRUE(fails(aclrtQueryEvent(bad, &status), 107017, {"event"}));
    EXPECT_TRUE(fails(aclrtSynchronizeEvent(bad), 107017, {"event"}));
    EXPECT_TRUE(fails(aclrtEventElapsedTime(&ms, bad, bad), 107017, {"startEvent"}));
  }
}

TEST_F(Event, AStreamWaitsForTheRecord) {
  std::atomic<bool> first_done{false};
  bool in_order = false;
  Roadblock block(stream_);
  queue(stream_, [&] { first_done = true; });
  ASSERT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(other_, event_), ACL_SUCCESS);
  queue(other_, [&] { in_order = first_done; });
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(other_, 10), 507046);
  EXPECT_EQ(waited(event_), ACL_EVENT_WAIT_STATUS_NOT_READY);
  EXPECT_EQ(status(event_), ACL_EVENT_STATUS_NOT_READY);
  EXPECT_EQ(recorded(event_), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  block.open();
  EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
  EXPECT_TRUE(in_order);
  EXPECT_EQ(waited(event_), ACL_EVENT_WAIT_STATUS_COMPLETE);
  EXPECT_EQ(status(event_), ACL_EVENT_STATUS_COMPLETE);
  EXPECT_EQ(recorded(event_), ACL_EVENT_RECORDED_STATUS_COMPLETE);
}

TEST_F(Event, TwoStreamsPlayPingPong) {
  // Each step waits for the other stream's last one, and only one of the two is synchronised.
  aclrtEvent ping = extended(ACL_EVENT_SYNC);
  aclrtEvent pong = extended(ACL_EVENT_SYNC);
  std::vector<int> seen;
  constexpr int kSteps = 200;
  for (int i = 0; i < kSteps; ++i) {
    aclrtStream here = i % 2 == 0 ? stream_ : other_;
    ASSERT_EQ(aclrtStreamWaitEvent(here, i % 2 == 0 ? pong : ping), ACL_SUCCESS);
    queue(here, [&seen, i] { seen.push_back(i); });
    ASSERT_EQ(aclrtRecordEvent(i % 2 == 0 ? ping : pong, here), ACL_SUCCESS);
  }
  ASSERT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
  ASSERT_EQ(seen.size(), static_cast<size_t>(kSteps));
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST_F(Event, NeverRecordedOnesHoldNothingUp) {
  EXPECT_EQ(aclrtStreamWaitEvent(stream_, event_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEvent(event_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event_, 0), ACL_SUCCESS);
  EXPECT_EQ(status(event_), ACL_EVENT_STATUS_COMPLETE);
  EXPECT_EQ(waited(event_), ACL_EVENT_WAIT_STATUS_COMPLETE);
  EXPECT_EQ(recorded(event_), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  EXPECT_EQ(recorded(extended(ACL_EVENT_SYNC)), ACL_EVENT_RECORDED_STATUS_COMPLETE);
}

TEST_F(Event, AWaitMeansTheRecordThatWasTheLatestThen) {
  ASSERT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(other_, event_), ACL_SUCCESS);
  Roadblock block(stream_);
  ASSERT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS) << "not held up by the second record";
  EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event_, 5), 507047);
}

TEST_F(Event, RecordInTheDefaultStream) {
  bool ran = false;
  queue(nullptr, [&] { ran = true; });
  EXPECT_EQ(aclrtRecordEvent(event_, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamWaitEvent(nullptr, event_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEvent(event_), ACL_SUCCESS);
  EXPECT_TRUE(ran);
}

TEST_F(Event, WaitsNeedTheSyncFlag) {
  EXPECT_TRUE(fails(aclrtStreamWaitEvent(stream_, with_flag(ACL_EVENT_TIME_LINE)), 207000,
                    {"aclrtStreamWaitEvent", "ACL_EVENT_SYNC"}));
  EXPECT_EQ(aclrtStreamWaitEvent(stream_, extended(ACL_EVENT_TIME_LINE)), 207000);
  EXPECT_EQ(aclrtStreamWaitEvent(stream_, with_flag(ACL_EVENT_SYNC)), ACL_SUCCESS);
}

TEST_F(Event, ResetIsForTheOldStyleWithSync) {
  aclrtEvent event = with_flag(ACL_EVENT_SYNC);
  ASSERT_EQ(aclrtRecordEvent(event, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
  EXPECT_EQ(recorded(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
  EXPECT_EQ(aclrtResetEvent(event, stream_), ACL_SUCCESS);
  EXPECT_EQ(recorded(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  EXPECT_EQ(aclrtRecordEvent(event, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
  EXPECT_EQ(recorded(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
  for (const aclrtEvent other :
       {with_flag(ACL_EVENT_TIME_LINE), extended(ACL_EVENT_SYNC), event_}) {
    EXPECT_TRUE(fails(aclrtResetEvent(other, stream_), 207000, {"aclrtResetEvent"}));
  }
}

TEST_F(Event, SynchronizeWithTimeout) {
  Roadblock block(stream_);
  ASSERT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtSynchronizeEventWithTimeout(event_, 0), 507047, {"event"}));
  EXPECT_TRUE(fails(aclrtSynchronizeEventWithTimeout(event_, 5), 507047, {"event"}));
  block.open();
  EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event_, -1), ACL_SUCCESS);
}

TEST_F(Event, AWaitCanTimeOut) {
  EXPECT_EQ(aclrtStreamWaitEventWithTimeout(other_, event_, -1), 107000);
  Roadblock block(stream_);
  ASSERT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEventWithTimeout(other_, event_, 5), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtSynchronizeStream(other_), 107019, {"event wait"}));
  ASSERT_EQ(aclrtStreamWaitEventWithTimeout(other_, event_, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(other_, 10), 507046) << "0 waits for ever";
  block.open();
  EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetOpWaitTimeout(1000), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(other_, event_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetOpWaitTimeout(0), ACL_SUCCESS);
}

TEST_F(Event, TellsElapsedTime) {
  aclrtEvent end = with_flag(ACL_EVENT_TIME_LINE);
  ASSERT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  queue(stream_, [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
  ASSERT_EQ(aclrtRecordEvent(end, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  float ms = 0;
  EXPECT_EQ(aclrtEventElapsedTime(&ms, event_, end), ACL_SUCCESS);
  EXPECT_GE(ms, 20.0F);
  EXPECT_EQ(aclrtEventElapsedTime(&ms, end, event_), ACL_SUCCESS);
  EXPECT_LE(ms, -20.0F);
  uint64_t from = 0;
  uint64_t to = 0;
  EXPECT_EQ(aclrtEventGetTimestamp(event_, &from), ACL_SUCCESS);
  EXPECT_EQ(aclrtEventGetTimestamp(end, &to), ACL_SUCCESS);
  EXPECT_GE(to - from, 20'000U);
}

TEST_F(Event, ElapsedTimeNeedsRecordsAndTheFlag) {
  float ms = 0;
  uint64_t time = 0;
  EXPECT_TRUE(fails(aclrtEventElapsedTime(&ms, event_, event_), 507000, {"startEvent", "never"}));
  EXPECT_TRUE(fails(aclrtEventGetTimestamp(event_, &time), 507000, {"never"}));
  aclrtEvent no_time = with_flag(ACL_EVENT_SYNC);
  ASSERT_EQ(aclrtRecordEvent(no_time, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_TRUE(
      fails(aclrtEventElapsedTime(&ms, event_, no_time), 107006, {"endEvent", "TIME_LINE"}));
  aclrtEvent never = with_flag(ACL_EVENT_TIME_LINE);
  EXPECT_TRUE(fails(aclrtEventElapsedTime(&ms, event_, never), 507000, {"endEvent"}));
  Roadblock block(stream_);
  ASSERT_EQ(aclrtRecordEvent(never, stream_), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtEventElapsedTime(&ms, event_, never), 507006, {"endEvent"}));
}

TEST_F(Event, DestroyingDoesNotBlockNorBreakWaits) {
  Roadblock block(stream_);
  bool ran = false;
  ASSERT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(other_, event_), ACL_SUCCESS);
  queue(other_, [&] { ran = true; });
  EXPECT_EQ(aclrtDestroyEvent(event_), ACL_SUCCESS);
  block.open();
  EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
  EXPECT_TRUE(ran);
}

TEST_F(Event, ForcedDestroyingOfTheStreamFreesItsWaiters) {
  // The record is dropped with its stream; a waiter must not wait for ever.
  aclrtEvent before = extended(ACL_EVENT_SYNC);
  Roadblock block(other_);
  ASSERT_EQ(aclrtRecordEvent(before, other_), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(stream_, before), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(event_, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(nullptr, event_), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStreamForce(stream_), ACL_SUCCESS) << "though it is waiting itself";
  EXPECT_EQ(aclrtSynchronizeEvent(event_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
}

TEST_F(Event, IdsDifferAndTheNumberIsLimited) {
  uint32_t first = 0;
  uint32_t second = 0;
  uint32_t available = 0;
  EXPECT_EQ(aclrtGetEventId(event_, &first), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetEventAvailNum(&available), ACL_SUCCESS);
  EXPECT_GT(available, 0U);
  EXPECT_EQ(aclrtGetEventId(with_flag(ACL_EVENT_SYNC), &second), ACL_SUCCESS);
  EXPECT_NE(first, second);
  uint32_t left = 0;
  EXPECT_EQ(aclrtGetEventAvailNum(&left), ACL_SUCCESS);
  EXPECT_EQ(left, available - 1);
  while (left-- > 0) with_flag(ACL_EVENT_SYNC);
  aclrtEvent more = nullptr;
  EXPECT_TRUE(fails(aclrtCreateEvent(&more), 207007, {"aclrtCreateEvent", "65536"}));
}

}  // namespace
}  // namespace aclgrad::test
