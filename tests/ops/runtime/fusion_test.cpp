// SPDX-License-Identifier: Apache-2.0
// Which tasks of a recording are run in units together, and how.
#include "fusion.h"

#include <cstring>
#include <random>

namespace aclgrad::test {
namespace {

using Fusion = FusionTest;

TEST_F(Fusion, AChainOverTheSameUnitsIsOneStep) {
  AddTask& first = add(dense(1), {dense(0)});
  AddTask& second = add(dense(2), {dense(1)});
  AddTask& third = add(dense(2), {dense(1), dense(0)});
  EXPECT_EQ(record(), 1U);
  ASSERT_EQ(run(), ACL_SUCCESS);
  for (const AddTask* task : {&first, &second, &third}) {
    EXPECT_EQ(task->units_done, kUnits) << "every unit once";
    EXPECT_GT(task->calls, 4);
    EXPECT_EQ(task->whole_runs, 0);
  }
  EXPECT_EQ(first.keep_cached, first.calls);
  EXPECT_EQ(third.keep_cached, 0) << "the last result is not read";
}

TEST_F(Fusion, GivesTheBitsOfTaskAfterTask) {
  add(dense(1), {dense(0)});
  add(dense(1), {dense(1), dense(3)});
  add(dense(2), {dense(1), {region(4), 0, 16}});
  expect_same_bits(1);
}

TEST_F(Fusion, RowsAndElementsGoTogether) {
  // The same megabytes as 65,536 units, as 1,024 rows, and as halves of these rows.
  add(dense(1), {dense(0)});
  add({region(1), 1024, 1024}, {{region(0), 1024, 1024}}, 1024);
  add({region(2), 512, 512}, {{region(1), 1024, 512}, {region(1) + 512, 1024, 512}}, 1024);
  expect_same_bits(1);
}

TEST_F(Fusion, WhatReadsOtherRowsWaits) {
  add(dense(1), {dense(0)});
  add(dense(2), {{region(1) + 16, 16, 16}}, kUnits - 1);  // the next row
  expect_same_bits(2);
}

TEST_F(Fusion, WhatReadsAWholeResultWaits) {
  add(dense(1), {dense(0)});
  add(dense(2), {{region(1), 0, 16}});
  expect_same_bits(2);
}

TEST_F(Fusion, WhatOverwritesRowsStillToBeReadWaits) {
  add(dense(2), {{region(1), 16, 16}});
  add({region(1) + 8, 16, 16}, {dense(3)}, kUnits - 1);
  expect_same_bits(2);
}

TEST_F(Fusion, OtherStridesOverTheSameMemoryWait) {
  add(dense(1), {dense(0)});
  add(dense(2), {{region(1), 8, 16}});
  expect_same_bits(2);
}

TEST_F(Fusion, OtherNumbersOfUnitsWait) {
  add(dense(1), {dense(0)});
  add(dense(2), {dense(3)}, kUnits - 1);
  expect_same_bits(2);
}

TEST_F(Fusion, SmallTasksStayWhole) {
  add(dense(1), {dense(0)}, 64);
  add(dense(2), {dense(1)}, 64);
  EXPECT_EQ(record(), 2U);
  ASSERT_EQ(run(), ACL_SUCCESS);
  EXPECT_EQ(tasks_[0]->whole_runs, 1);
}

TEST_F(Fusion, AFailureNamesItsTask) {
  add(dense(1), {dense(0)});
  add(dense(2), {dense(1)}).answer = 507015;
  AddTask& third = add(dense(3), {dense(2)});
  EXPECT_EQ(record(), 1U);
  EXPECT_TRUE(fails(run(), 507015, {"its task 1 (add)"}));
  EXPECT_EQ(aclgradFailedTask(model_), 1);
  EXPECT_EQ(third.calls, 0);
}

TEST_F(Fusion, ATaskOvertakesOthersToGetToItsInput) {
  add(dense(1), {dense(0)});
  add(dense(5), {dense(4)}, kUnits - 1);
  add({region(6), 0, 1 << 18}, {{region(4), 0, 16}}, 1);  // not to be cut
  add(dense(2), {dense(1)});
  expect_same_bits(3);
}

TEST_F(Fusion, ButNoneThatItDependsOn) {
  add(dense(1), {dense(0)});
  add(dense(3), {dense(4)}, kUnits - 1);
  add(dense(2), {dense(1), dense(3)});
  expect_same_bits(3);
}

TEST_F(Fusion, NorOneWithoutFootprint) {
  add(dense(1), {dense(0)});
  EXPECT_EQ(aclmdlRICaptureBegin(stream_, ACL_MODEL_RI_CAPTURE_MODE_RELAXED), ACL_SUCCESS);
  const auto submit = [&] {
    EXPECT_EQ(
        aclgradLaunchTiled(
            stream_, "add", [](void* argument) { return task_of(argument).run_units(0, kUnits); },
            tasks_[0].get(), nullptr, &kTiling),
        ACL_SUCCESS);
  };
  submit();
  EXPECT_EQ(aclgradLaunchTask(
                stream_, "opaque", [](void*) { return ACL_SUCCESS; }, nullptr, nullptr),
            ACL_SUCCESS);
  submit();
  EXPECT_EQ(aclmdlRICaptureEnd(stream_, &model_), ACL_SUCCESS);
  EXPECT_EQ(aclgradModelStepCount(model_), 3U);
}

TEST_F(Fusion, PartsAreRectanglesOfRowGroups) {
  for (const int32_t threads : {1, 2, 3}) {
    ASSERT_EQ(aclgradSetNumThreads(threads), ACL_SUCCESS);
    tasks_.clear();
    AddTask& first = add(dense(1), {{region(0), 0, 16}});
    first.row_group = 8;
    first.min_row_groups = 1000;
    const AddTask& second = add({region(1), 32, 32}, {dense(0)}, kUnits / 2);
    expect_same_bits(1);
    EXPECT_EQ(first.torn_row_groups, 0) << threads;
    // Once in parts, and once as a whole.
    EXPECT_EQ(first.units_done, 2 * kUnits) << threads;
    EXPECT_EQ(second.units_done, kUnits) << threads;
    EXPECT_LE(first.calls, threads * (kUnits / 8 / 1000 + 1)) << threads;
    EXPECT_GE(first.calls, threads) << threads;
  }
  ASSERT_EQ(aclgradSetNumThreads(0), ACL_SUCCESS);
}

TEST_F(Fusion, TasksWhoseRowGroupsAreRowsAreFused) {
  // Rows of 1 KB; each needs `for_all` bytes that are the same for all of them, too.
  const auto add_row_groups = [&](int to, int from, int64_t min_row_groups, int64_t for_all) {
    AddTask& task = add({region(to), 1024, 1024},
                        {{region(from), 1024, 1024}, {region(from + 4), 0, for_all}}, 1024);
    task.min_row_groups = min_row_groups;
  };
  struct Case {
    int64_t first;
    int64_t second;
    int64_t for_all;
    size_t steps;
  };
  constexpr int64_t kHalf = 1 << 19;
  for (const Case& each :
       {Case{64, 64, 1024, 1}, {64, 32, 1024, 1}, {64, 65, 1024, 2}, {64, 64, kHalf + 1, 2}}) {
    SCOPED_TRACE(testing::Message() << each.first << ", " << each.second << ", " << each.for_all);
    tasks_.clear();
    add_row_groups(1, 0, each.first, each.for_all);
    add_row_groups(2, 1, each.second, each.for_all);
    add({region(3), 1024, 1024}, {{region(2), 1024, 1024}}, 1024);
    expect_same_bits(each.steps);
  }
}

// Large and small tasks over a few regions, some of which want row groups; many get into each
// other's way.
TEST_F(Fusion, RandomSequencesGiveTheBitsOfTaskAfterTask) {
  constexpr int64_t kMany = 1 << 12;
  std::mt19937 random(20261123);
  const auto draw = [&](int64_t below) { return static_cast<int64_t>(random() % below); };
  const auto place = [&](int64_t units) {
    std::byte* const start = region(static_cast<int>(draw(8)));
    const int64_t apart = units == kMany ? draw(8) / 7 : draw(kMany - units);
    return AddTask::Operand{start + 16 * apart, 16, 16};
  };
  size_t tasks = 0;
  size_t steps = 0;
  for (int sequence = 0; sequence < 200 && !HasFailure(); ++sequence) {
    SCOPED_TRACE(sequence);
    ASSERT_EQ(aclgradSetNumThreads(1 + sequence % 3), ACL_SUCCESS);
    tasks_.clear();
    for (int64_t count = 4 + draw(12); count > 0; --count) {
      const int64_t units = draw(2) == 0 ? kMany : 1 + draw(64);
      std::vector<AddTask::Operand> from(static_cast<size_t>(1 + draw(2)));
      for (AddTask::Operand& each : from) {
        each = place(units);
        if (draw(4) == 0) each.step = 0;
      }
      AddTask& task = add(place(units), std::move(from), units);
      if (units == kMany && draw(2) == 0) task.min_row_groups = 1 + draw(100);
      if (units == kMany && draw(4) == 0) task.row_group = 4;
    }
    tasks += tasks_.size();
    steps += expect_same_bits();
  }
  EXPECT_LT(steps, tasks * 9 / 10);
  ASSERT_EQ(aclgradSetNumThreads(0), ACL_SUCCESS);
}

TEST_F(Fusion, AMovedTensorIsReadWhereItLiesNow) {
  const std::byte* const tensor = region(0);
  for (const int32_t fuse : {1, 0}) {
    aclgradSetReplayFusion(fuse);
    tasks_.clear();
    const AddTask& first = add(dense(1), {dense(0), dense(0)});
    const AddTask& second = add(dense(2), {dense(1)});
    record();
    EXPECT_EQ(aclgradModelMoveTensor(model_, tensor, region(5) - tensor), ACL_SUCCESS);
    EXPECT_EQ(aclgradModelMoveTensor(model_, tensor, -64), ACL_SUCCESS)
        << "further, as it is known";
    EXPECT_EQ(first.from[0].address, region(5) - 64);
    EXPECT_EQ(first.from[1].address, region(5) - 64);
    EXPECT_EQ(second.from[0].address, region(1));
    std::memset(region(0), 1, kUnits * 16);
    std::memset(region(1), 0, kUnits * 16);
    std::memset(region(5) - 64, 2, kUnits * 16);
    ASSERT_EQ(run(), ACL_SUCCESS);
    EXPECT_EQ(static_cast<int>(*region(1)), 3 * 3 + 3);
  }
}

TEST_F(Fusion, MovingIsChecked) {
  add(dense(1), {dense(0)});
  record();
  EXPECT_TRUE(fails(aclgradModelMoveTensor(nullptr, region(0), 8), 100000, {"modelRI"}));
  EXPECT_TRUE(fails(aclgradModelMoveTensor(stream_, region(0), 8), 107000, {"modelRI"}));
  EXPECT_TRUE(fails(aclgradModelMoveTensor(model_, nullptr, 8), 100000, {"tensor"}));
  EXPECT_EQ(aclgradModelMoveTensor(model_, this, 8), ACL_SUCCESS) << "no task has it";
  const Roadblock roadblock(stream_);
  ASSERT_EQ(aclmdlRIExecuteAsync(model_, stream_), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclgradModelMoveTensor(model_, region(0), 8), 107037, {"still runs"}));
}

TEST_F(Fusion, TasksBetweenEndAStep) {
  add(dense(1), {dense(0)});
  add(dense(2), {dense(1)});
  EXPECT_EQ(aclmdlRICaptureBegin(stream_, ACL_MODEL_RI_CAPTURE_MODE_RELAXED), ACL_SUCCESS);
  const auto submit = [&](AddTask& task) {
    ASSERT_EQ(
        aclgradLaunchTiled(
            stream_, "add", [](void* argument) { return task_of(argument).run_units(0, kUnits); },
            &task, nullptr, &kTiling),
        ACL_SUCCESS);
  };
  submit(*tasks_[0]);
  queue(stream_, [] {});
  submit(*tasks_[0]);
  submit(*tasks_[1]);
  EXPECT_EQ(aclmdlRICaptureEnd(stream_, &model_), ACL_SUCCESS);
  EXPECT_EQ(aclgradModelStepCount(model_), 3U);
  EXPECT_EQ(run(), ACL_SUCCESS);
}

}  // namespace
}  // namespace aclgrad::test
