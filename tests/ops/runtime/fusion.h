// SPDX-License-Identifier: Apache-2.0
// Tasks that can be cut and remember how they were, and recordings of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "support.h"

namespace aclgrad::test {

inline constexpr int64_t kUnits = 1 << 16;

// Adds the units of each of `from` to those of `to`, and remembers how it was cut.
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
  int64_t row_group = 1;
  int64_t min_row_groups = 1;
  aclError answer = ACL_SUCCESS;
  bool throws = false;
  std::function<void(int64_t unit)> before_part = [](int64_t) {};
  std::atomic<int64_t> units_done = 0;
  std::atomic<int> calls = 0;
  std::atomic<int> whole_runs = 0;
  std::atomic<int> keep_cached = 0;
  std::atomic<int> torn_row_groups = 0;

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

inline AddTask& task_of(const void* argument) {
  return *static_cast<AddTask*>(const_cast<void*>(argument));  // NOLINT: tests count calls
}

inline constexpr aclgradTiling kTiling{
    .units = [](const void* argument) { return task_of(argument).units; },
    .operands =
        [](const void* argument, aclgradFootprint* operands, size_t capacity) {
          const AddTask& task = task_of(argument);
          std::vector<aclgradFootprint> all{{task.to.address, task.to.step, task.to.length, 1}};
          for (const AddTask::Operand& each : task.from) {
            all.push_back({each.address, each.step, each.length, 0});
          }
          for (size_t k = 0; k < std::min(capacity, all.size()); ++k) operands[k] = all[k];
          return all.size();
        },
    .row_groups =
        [](const void* argument, int64_t* units, int64_t* min_row_groups) {
          *units = task_of(argument).row_group;
          *min_row_groups = task_of(argument).min_row_groups;
        },
    .run = [](void* argument, const aclgradTile* part) -> aclError {
      AddTask& task = task_of(argument);
      ++task.calls;
      task.before_part(part->begin);
      if (part->keep_cached != 0) ++task.keep_cached;
      for (int64_t row = 0; row < part->rows; ++row) {
        const int64_t from = part->begin + row * part->stride;
        const int64_t to = part->end + row * part->stride;
        if (task.row_group > 1 && from / task.row_group != (to - 1) / task.row_group)
          ++task.torn_row_groups;
        if (const aclError status = task.run_units(from, to)) {
          aclgradExplainFailure("does not add up");
          return status;
        }
      }
      return ACL_SUCCESS;
    },
    // A tensor is known by the address that its data had at first.
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

class FusionTest : public StreamTest {
 protected:
  void SetUp() override {
    StreamTest::SetUp();
    memory_.resize(8 * kUnits * 16);
    for (size_t i = 0; i < memory_.size(); ++i) memory_[i] = static_cast<std::byte>(i * 7 >> 3);
  }
  void TearDown() override {
    aclgradSetReplayFusion(1);
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
      EXPECT_EQ(aclgradLaunchTiled(
                    stream_, "add",
                    [](void* argument) {
                      AddTask& whole = task_of(argument);
                      ++whole.whole_runs;
                      if (whole.throws) throw std::runtime_error("fell over");
                      if (whole.answer != ACL_SUCCESS) aclgradExplainFailure("does not add up");
                      return whole.run_units(0, whole.units);
                    },
                    task.get(), nullptr, &kTiling),
                ACL_SUCCESS);
    }
    EXPECT_EQ(aclmdlRICaptureEnd(stream_, &model_), ACL_SUCCESS);
    return aclgradModelStepCount(model_);
  }

  aclError run() {
    if (const aclError status = aclmdlRIExecuteAsync(model_, stream_)) return status;
    return aclrtSynchronizeStream(stream_);
  }

  // Runs the recording with and without fusion and compares all memory. The number of steps.
  size_t expect_same_bits() {
    const std::vector<std::byte> before = memory_;
    aclgradSetReplayFusion(1);
    const size_t steps = record();
    EXPECT_EQ(run(), ACL_SUCCESS);
    const std::vector<std::byte> fused = memory_;
    std::memcpy(memory_.data(), before.data(), before.size());
    aclgradSetReplayFusion(0);
    EXPECT_EQ(record(), tasks_.size());
    EXPECT_EQ(run(), ACL_SUCCESS);
    EXPECT_TRUE(fused == memory_);
    EXPECT_FALSE(before == memory_);
    return steps;
  }
  void expect_same_bits(size_t steps) { EXPECT_EQ(expect_same_bits(), steps); }

  std::vector<std::byte> memory_;
  std::vector<std::unique_ptr<AddTask>> tasks_;
  aclmdlRI model_ = nullptr;
};

}  // namespace aclgrad::test
