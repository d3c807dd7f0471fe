// SPDX-License-Identifier: Apache-2.0
// Which tasks of a recording are run in units together, and how.
#include <atomic>
#include <cstring>
#include <mutex>
#include <vector>

#include "support.h"

namespace aclgrad::test {
namespace {

constexpr int64_t kUnits = 1 << 16;

// Adds the units of `from` (and of `also`, the same for every unit) to `to`, 16 bytes a unit, and
// remembers how it was cut.
struct AddTask {
  struct Operand {
    std::byte* address;
    int64_t step;
    int64_t length;
  };
  Operand to;
  std::vector<Operand> from;
  std::vector<const void*> tensors;
  int64_t units = kUnits;
  int64_t line = 1;
  int64_t fewest_lines = 1;
  aclError answer = ACL_SUCCESS;
  std::atomic<int64_t> units_done = 0;
  std::atomic<int> calls = 0;
  std::atomic<int> whole_runs = 0;
  std::atomic<int> read_soon = 0;
  std::atomic<int> torn_lines = 0;
  std::atomic<int64_t> bytes_soon = 0;

  aclError run_units(int64_t begin, int64_t end) {
    for (int64_t unit = begin; unit < end; ++unit) {
      for (const Operand& source : from) {
        for (int64_t i = 0; i < to.length; ++i) {
          const auto old = static_cast<unsigned>(to.address[unit * to.step + i]);
          const auto added =
              static_cast<unsigned>(source.address[unit * source.step + i % source.length]);
          to.address[unit * to.step + i] = static_cast<std::byte>(3 * old + added + 1);
        }
      }
    }
    units_done += end - begin;
    return answer;
  }
};

AddTask& task_of(const void* argument) {
  return *static_cast<AddTask*>(const_cast<void*>(argument));  // NOLINT: tests count calls
}

constexpr aclgradSweep kSweep{
    .units = [](const void* argument) { return task_of(argument).units; },
    .operands =
        [](const void* argument, aclgradSweepOperand* operands, size_t capacity) {
          const AddTask& task = task_of(argument);
          std::vector<aclgradSweepOperand> all{{task.to.address, task.to.step, task.to.length, 1}};
          for (const AddTask::Operand& each : task.from) {
            all.push_back({each.address, each.step, each.length, 0});
          }
          for (size_t k = 0; k < std::min(capacity, all.size()); ++k) operands[k] = all[k];
          return all.size();
        },
    .lines =
        [](const void* argument, int64_t* units, int64_t* fewest) {
          *units = task_of(argument).line;
          *fewest = task_of(argument).fewest_lines;
        },
    .run = [](void* argument, const aclgradSweepPart* part) -> aclError {
      AddTask& task = task_of(argument);
      ++task.calls;
      if (part->read_soon != 0) ++task.read_soon;
      for (size_t k = 0; k < part->soon_count; ++k) task.bytes_soon += part->soon[k].length;
      for (int64_t row = 0; row < part->rows; ++row) {
        const int64_t from = part->begin + row * part->stride;
        const int64_t to = part->end + row * part->stride;
        if (task.line > 1 && from / task.line != (to - 1) / task.line) ++task.torn_lines;
        if (const aclError status = task.run_units(from, to)) return status;
      }
      return ACL_SUCCESS;
    },
    // A tensor is told by the address that its data had at first.
    .move = [](void* argument, const void* tensor, intptr_t bytes) -> int32_t {
      AddTask& task = task_of(argument);
      bool found = false;
      for (size_t k = 0; k < task.from.size(); ++k) {
        if (task.tensors[k] != tensor) continue;
        task.from[k].address += bytes;
        found = true;
      }
      return found ? 1 : 0;
    },
};

class Sweep : public StreamTest {
 protected:
  void SetUp() override {
    StreamTest::SetUp();
    memory_.resize(8 * kUnits * 16);
    for (size_t i = 0; i < memory_.size(); ++i) memory_[i] = static_cast<std::byte>(i * 7 >> 3);
  }
  void TearDown() override {
    aclgradSetReplaySweeps(1);
    StreamTest::TearDown();
  }

  // The n-th of 8 regions of 1 MB.
  std::byte* region(int n) { return memory_.data() + n * kUnits * 16; }
  AddTask::Operand dense(int n) { return {region(n), 16, 16}; }

  AddTask& add(AddTask::Operand to, std::vector<AddTask::Operand> from, int64_t units = kUnits) {
    auto& task = *tasks_.emplace_back(std::make_unique<AddTask>());
    task.to = to;
    task.from = std::move(from);
    for (const AddTask::Operand& each : task.from) task.tensors.push_back(each.address);
    task.units = units;
    return task;
  }

  // Records all tasks; the number of steps.
  size_t record() {
    EXPECT_EQ(aclmdlRICaptureBegin(stream_, ACL_MODEL_RI_CAPTURE_MODE_RELAXED), ACL_SUCCESS);
    for (const auto& task : tasks_) {
      EXPECT_EQ(aclgradLaunchSweep(
                    stream_, "add",
                    [](void* argument) {
                      AddTask& whole = task_of(argument);
                      ++whole.whole_runs;
                      return whole.run_units(0, whole.units);
                    },
                    task.get(), nullptr, &kSweep),
                ACL_SUCCESS);
    }
    EXPECT_EQ(aclmdlRICaptureEnd(stream_, &model_), ACL_SUCCESS);
    return aclgradModelStepCount(model_);
  }

  aclError run() {
    if (const aclError status = aclmdlRIExecuteAsync(model_, stream_)) return status;
    return aclrtSynchronizeStream(stream_);
  }

  // Runs the recording with and without sweeps and compares all memory.
  void expect_same_bits(size_t steps) {
    const std::vector<std::byte> before = memory_;
    EXPECT_EQ(record(), steps);
    ASSERT_EQ(run(), ACL_SUCCESS);
    const std::vector<std::byte> swept = memory_;
    std::memcpy(memory_.data(), before.data(), before.size());
    aclgradSetReplaySweeps(0);
    EXPECT_EQ(record(), tasks_.size());
    ASSERT_EQ(run(), ACL_SUCCESS);
    EXPECT_TRUE(swept == memory_);
    EXPECT_FALSE(before == memory_);
  }

  std::vector<std::byte> memory_;
  std::vector<std::unique_ptr<AddTask>> tasks_;
  aclmdlRI model_ = nullptr;
};

TEST_F(Sweep, AChainOverTheSameUnitsIsOneStep) {
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
  EXPECT_EQ(first.read_soon, first.calls);
  EXPECT_EQ(third.read_soon, 0) << "nobody reads the last result";
}

TEST_F(Sweep, GivesTheBitsOfTaskAfterTask) {
  add(dense(1), {dense(0)});
  add(dense(1), {dense(1), dense(3)});
  add(dense(2), {dense(1), {region(4), 0, 16}});
  expect_same_bits(1);
}

TEST_F(Sweep, RowsAndElementsGoTogether) {
  // The same megabytes as 65,536 units, as 1,024 rows, and as halves of these rows.
  add(dense(1), {dense(0)});
  add({region(1), 1024, 1024}, {{region(0), 1024, 1024}}, 1024);
  add({region(2), 512, 512}, {{region(1), 1024, 512}, {region(1) + 512, 1024, 512}}, 1024);
  expect_same_bits(1);
}

TEST_F(Sweep, WhatReadsOtherRowsWaits) {
  add(dense(1), {dense(0)});
  add(dense(2), {{region(1) + 16, 16, 16}}, kUnits - 1);  // the next row
  expect_same_bits(2);
}

TEST_F(Sweep, WhatReadsAWholeResultWaits) {
  add(dense(1), {dense(0)});
  add(dense(2), {{region(1), 0, 16}});
  expect_same_bits(2);
}

TEST_F(Sweep, WhatOverwritesRowsStillToBeReadWaits) {
  add(dense(2), {{region(1), 16, 16}});
  add({region(1) + 8, 16, 16}, {dense(3)}, kUnits - 1);
  expect_same_bits(2);
}

TEST_F(Sweep, OtherStridesOverTheSameMemoryWait) {
  add(dense(1), {dense(0)});
  add(dense(2), {{region(1), 8, 16}});
  expect_same_bits(2);
}

TEST_F(Sweep, OtherNumbersOfUnitsWait) {
  add(dense(1), {dense(0)});
  add(dense(2), {dense(3)}, kUnits - 1);
  expect_same_bits(2);
}

TEST_F(Sweep, SmallTasksStayWhole) {
  add(dense(1), {dense(0)}, 64);
  add(dense(2), {dense(1)}, 64);
  EXPECT_EQ(record(), 2U);
  ASSERT_EQ(run(), ACL_SUCCESS);
  EXPECT_EQ(tasks_[0]->whole_runs, 1);
}

TEST_F(Sweep, AFailureNamesItsTask) {
  add(dense(1), {dense(0)});
  add(dense(2), {dense(1)}).answer = 507015;
  AddTask& third = add(dense(3), {dense(2)});
  EXPECT_EQ(record(), 1U);
  EXPECT_TRUE(fails(run(), 507015, {"its task 1 (add)"}));
  EXPECT_EQ(aclgradFailedTask(model_), 1);
  EXPECT_EQ(third.calls, 0);
}

TEST_F(Sweep, ATaskOvertakesOthersToGetToItsInput) {
  add(dense(1), {dense(0)});
  add(dense(5), {dense(4)}, kUnits - 1);
  add(dense(6), {{region(4), 0, 16}}, 1);  // not to be cut
  add(dense(2), {dense(1)});
  expect_same_bits(3);
}

TEST_F(Sweep, ButNoneThatItDependsOn) {
  add(dense(1), {dense(0)});
  add(dense(3), {dense(4)}, kUnits - 1);
  add(dense(2), {dense(1), dense(3)});
  expect_same_bits(3);
}

TEST_F(Sweep, NorOneThatSaysNothing) {
  add(dense(1), {dense(0)});
  EXPECT_EQ(aclmdlRICaptureBegin(stream_, ACL_MODEL_RI_CAPTURE_MODE_RELAXED), ACL_SUCCESS);
  const auto submit = [&] {
    EXPECT_EQ(
        aclgradLaunchSweep(
            stream_, "add", [](void* argument) { return task_of(argument).run_units(0, kUnits); },
            tasks_[0].get(), nullptr, &kSweep),
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

TEST_F(Sweep, PartsAreRectanglesOfLines) {
  for (const int32_t threads : {1, 2, 3}) {
    ASSERT_EQ(aclgradSetNumThreads(threads), ACL_SUCCESS);
    tasks_.clear();
    AddTask& first = add(dense(1), {{region(0), 0, 16}});
    first.line = 8;
    first.fewest_lines = 1000;
    const AddTask& second = add({region(1), 32, 32}, {dense(0)}, kUnits / 2);
    expect_same_bits(1);
    EXPECT_EQ(first.torn_lines, 0) << threads;
    // Once in parts, and once as a whole.
    EXPECT_EQ(first.units_done, 2 * kUnits) << threads;
    EXPECT_EQ(second.units_done, kUnits) << threads;
    EXPECT_LE(first.calls, threads * (kUnits / 8 / 1000 + 1)) << threads;
    EXPECT_GE(first.calls, threads) << threads;
    aclgradSetReplaySweeps(1);
  }
  ASSERT_EQ(aclgradSetNumThreads(0), ACL_SUCCESS);
}

TEST_F(Sweep, TasksWhoseLinesAreRowsGoTogether) {
  // Rows of 1 KB; each needs `for_all` bytes that are the same for all of them, too.
  const auto add_lines = [&](int to, int from, int64_t fewest, int64_t for_all) {
    AddTask& task = add({region(to), 1024, 1024},
                        {{region(from), 1024, 1024}, {region(from + 4), 0, for_all}}, 1024);
    task.fewest_lines = fewest;
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
    add_lines(1, 0, each.first, each.for_all);
    add_lines(2, 1, each.second, each.for_all);
    add({region(3), 1024, 1024}, {{region(2), 1024, 1024}}, 1024);
    expect_same_bits(each.steps);
    aclgradSetReplaySweeps(1);
  }
}

TEST_F(Sweep, WhatLaterTasksNeedIsToldToTheFirst) {
  AddTask& first = add(dense(1), {{region(0), 0, 16}});
  first.fewest_lines = 4096;
  AddTask& second = add(dense(1), {dense(3)});
  EXPECT_EQ(record(), 1U);
  ASSERT_EQ(run(), ACL_SUCCESS);
  // Of region 3 all, once; region 1 is in the first task's own hands.
  EXPECT_EQ(first.bytes_soon, kUnits * 16);
  EXPECT_EQ(second.bytes_soon, 0);
}

TEST_F(Sweep, AMovedTensorIsReadWhereItLiesNow) {
  const std::byte* const tensor = region(0);
  for (const int32_t sweeps : {1, 0}) {
    aclgradSetReplaySweeps(sweeps);
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

TEST_F(Sweep, MovingIsChecked) {
  add(dense(1), {dense(0)});
  record();
  EXPECT_TRUE(fails(aclgradModelMoveTensor(nullptr, region(0), 8), 100000, {"modelRI"}));
  EXPECT_TRUE(fails(aclgradModelMoveTensor(stream_, region(0), 8), 107000, {"modelRI"}));
  EXPECT_TRUE(fails(aclgradModelMoveTensor(model_, nullptr, 8), 100000, {"tensor"}));
  EXPECT_EQ(aclgradModelMoveTensor(model_, this, 8), ACL_SUCCESS) << "nobody has it";
  const Roadblock roadblock(stream_);
  ASSERT_EQ(aclmdlRIExecuteAsync(model_, stream_), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclgradModelMoveTensor(model_, region(0), 8), 107037, {"still runs"}));
}

TEST_F(Sweep, TasksBetweenEndAStep) {
  add(dense(1), {dense(0)});
  add(dense(2), {dense(1)});
  EXPECT_EQ(aclmdlRICaptureBegin(stream_, ACL_MODEL_RI_CAPTURE_MODE_RELAXED), ACL_SUCCESS);
  const auto submit = [&](AddTask& task) {
    ASSERT_EQ(
        aclgradLaunchSweep(
            stream_, "add", [](void* argument) { return task_of(argument).run_units(0, kUnits); },
            &task, nullptr, &kSweep),
        ACL_SUCCESS);
  };
  submit(*tasks_[0]);
  ASSERT_EQ(launch(stream_, [] { return ACL_SUCCESS; }), ACL_SUCCESS);
  submit(*tasks_[0]);
  submit(*tasks_[1]);
  EXPECT_EQ(aclmdlRICaptureEnd(stream_, &model_), ACL_SUCCESS);
  EXPECT_EQ(aclgradModelStepCount(model_), 3U);
  EXPECT_EQ(run(), ACL_SUCCESS);
}

}  // namespace
}  // namespace aclgrad::test
