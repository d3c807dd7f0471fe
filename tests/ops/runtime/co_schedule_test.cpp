// SPDX-License-Identifier: Apache-2.0
// Which tasks of a recording run co-scheduled with others that are fused.
#include <chrono>
#include <thread>

#include "fusion.h"

namespace aclgrad::test {
namespace {

using CoSchedule = FusionTest;

TEST_F(CoSchedule, AreSmallTasksThatHaveNothingToDoWithIt) {
  for (const int32_t threads : {1, 2, 3}) {
    SCOPED_TRACE(threads);
    ASSERT_EQ(aclgradSetNumThreads(threads), ACL_SUCCESS);
    tasks_.clear();
    const AddTask& before = add({region(5), 16, 16}, {{region(4), 16, 16}}, 64);
    const AddTask& needs_it = add({region(6), 16, 16}, {{region(5), 16, 16}}, 64);
    add(dense(1), {dense(0)});
    add(dense(2), {dense(1)});
    const AddTask& after = add({region(7), 0, 4096}, {{region(0), 0, 16}}, 1);
    add({region(7), 16, 16}, {{region(6), 16, 16}}, 64);  // needs both
    expect_same_bits(1);
    EXPECT_EQ(before.whole_runs, 2);
    EXPECT_EQ(needs_it.whole_runs, 2);
    EXPECT_EQ(after.whole_runs, 2);
  }
  ASSERT_EQ(aclgradSetNumThreads(0), ACL_SUCCESS);
}

TEST_F(CoSchedule, TheyRunOnTheThreadThatIsDoneFirst) {
  ASSERT_EQ(aclgradSetNumThreads(2), ACL_SUCCESS);
  const AddTask& small = add({region(5), 16, 16}, {{region(4), 16, 16}}, 64);
  AddTask& first = add(dense(1), {dense(0)});
  add(dense(2), {dense(1)});
  // One part is not done before the small task is; again, where the other thread has rested.
  int runs = 0;
  bool have_met = false;
  first.before_part = [&](int64_t unit) {
    if (unit != 0) return;
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
    while (small.whole_runs == runs && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
    }
    have_met = small.whole_runs > runs;
  };
  EXPECT_EQ(record(), 1U);
  for (; !have_met && runs < 40; ++runs) EXPECT_EQ(run(), ACL_SUCCESS);
  EXPECT_TRUE(have_met);
  ASSERT_EQ(aclgradSetNumThreads(0), ACL_SUCCESS);
}

TEST_F(CoSchedule, NoneThatItWaitsForOrThatWaitForIt) {
  // What is cut reads the first; the second needs that; the third reads what is cut.
  add({region(0), 16, 16}, {{region(4), 16, 16}}, 64);
  add({region(5), 16, 16}, {{region(0), 16, 16}}, 64);
  add(dense(1), {dense(0)});
  add(dense(2), {dense(1)});
  add({region(6), 16, 16}, {{region(2), 16, 16}}, 64);
  expect_same_bits(3);
}

TEST_F(CoSchedule, NoneThatNeedWhatStaysBetween) {
  add(dense(1), {dense(0)});
  add(dense(2), {dense(1)});
  add({region(6), 16, 16}, {{region(2), 16, 16}}, 64);
  add({region(7), 16, 16}, {{region(6), 16, 16}}, 64);  // nothing to do with what is cut
  expect_same_bits(3);
}

TEST_F(CoSchedule, NoLargeOnesWhichHaveTheThreadsForThemselves) {
  add(dense(1), {dense(0)});
  add(dense(2), {dense(1)});
  add({region(4), 0, 1 << 17}, {{region(5), 0, 1 << 17}}, 1);
  add({region(6), 0, 1 << 18}, {{region(5), 0, 1 << 17}}, 1);
  expect_same_bits(2);
}

TEST_F(CoSchedule, AFailureNamesItsTask) {
  AddTask& small = add({region(4), 16, 16}, {{region(5), 16, 16}}, 64);
  AddTask& needs_it = add({region(6), 16, 16}, {{region(4), 16, 16}}, 64);
  add(dense(1), {dense(0)});
  add(dense(2), {dense(1)});
  small.answer = 507015;
  EXPECT_EQ(record(), 1U);
  EXPECT_TRUE(fails(run(), 507015, {"its task 0 (add)", "does not add up"}));
  EXPECT_EQ(aclgradFailedTask(model_), 0);
  EXPECT_EQ(needs_it.whole_runs, 0);
}

TEST_F(CoSchedule, WhatATaskThrowsIsItsFailure) {
  AddTask& small = add({region(4), 16, 16}, {{region(5), 16, 16}}, 64);
  add(dense(1), {dense(0)});
  add(dense(2), {dense(1)});
  small.throws = true;
  EXPECT_EQ(record(), 1U);
  for (const int32_t threads : {1, 2}) {
    ASSERT_EQ(aclgradSetNumThreads(threads), ACL_SUCCESS);
    EXPECT_TRUE(fails(run(), ACL_ERROR_RT_INTERNAL_ERROR, {"its task 0 (add)", "fell over"}));
  }
  ASSERT_EQ(aclgradSetNumThreads(0), ACL_SUCCESS);
}

TEST_F(CoSchedule, OfSeveralFailuresTheFirstTaskCounts) {
  AddTask& before = add({region(4), 16, 16}, {{region(5), 16, 16}}, 64);
  AddTask& cut = add(dense(1), {dense(0)});
  add(dense(2), {dense(1)});
  AddTask& after = add({region(6), 16, 16}, {{region(5), 16, 16}}, 64);
  EXPECT_EQ(record(), 1U);
  for (const int32_t threads : {1, 2}) {
    ASSERT_EQ(aclgradSetNumThreads(threads), ACL_SUCCESS);
    before.answer = 507015;
    cut.answer = 507018;
    after.answer = 507015;
    EXPECT_TRUE(fails(run(), 507015, {"its task 0 (add)", "does not add up"}));
    before.answer = ACL_SUCCESS;
    EXPECT_TRUE(fails(run(), 507018, {"its task 1 (add)", "does not add up"}));
    cut.answer = ACL_SUCCESS;
    EXPECT_TRUE(fails(run(), 507015, {"its task 3 (add)", "does not add up"}));
  }
  ASSERT_EQ(aclgradSetNumThreads(0), ACL_SUCCESS);
}

// The last one needs all before it, each of which needs one of two others.
TEST_F(CoSchedule, ChainsThatJoinKeepTheirOrder) {
  constexpr int64_t kBytes = 1024;
  const auto piece = [&](int n) { return AddTask::Operand{region(5) + kBytes * n, 0, kBytes}; };
  const auto small = [&](int to, int from) -> AddTask& { return add(piece(to), {piece(from)}, 1); };
  AddTask& first = small(2, 0);
  small(3, 1);
  AddTask& third = small(4, 3);
  small(5, 2);
  AddTask& last = add(piece(6), {piece(4), piece(5)}, 1);
  add(dense(1), {dense(0)});
  add(dense(2), {dense(1)});
  expect_same_bits(1);
  EXPECT_EQ(last.whole_runs, 2);
  first.answer = third.answer = 507015;
  aclgradSetReplayFusion(1);
  EXPECT_EQ(record(), 1U);
  EXPECT_TRUE(fails(run(), 507015, {"its task 0 (add)", "does not add up"}));
}

}  // namespace
}  // namespace aclgrad::test
