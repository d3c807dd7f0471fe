// SPDX-License-Identifier: Apache-2.0
// How a recorded model runs its tasks: one after the other, or, where tasks that can be cut follow
// each other, piece by piece through all of them.
//
// Such tasks are brought to common rows: a task of many units has several of them in a row. A row
// of one task may touch nothing that another row of another task writes, so each thread can take
// rows of its own through the whole step, in the order of the tasks.
#ifndef ACLGRAD_OPS_RUNTIME_STEPS_H_
#define ACLGRAD_OPS_RUNTIME_STEPS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ops/runtime/stream.h"

namespace aclgrad::runtime {

struct Step {
  struct Member {
    int64_t units_per_row = 0;
    bool read_soon = false;  // a later member reads what this one writes
  };
  size_t first = 0;             // index of the first task
  std::vector<Member> members;  // empty: the task `first` alone, as a whole
  int64_t rows = 0;
  int64_t rows_per_piece = 0;

  size_t task_count() const { return members.empty() ? 1 : members.size(); }
};

// The steps of a sequence of tasks; every task alone unless sweeps are allowed.
std::vector<Step> plan_steps(const std::vector<Task>& tasks, bool allow_sweeps);

// What went wrong in a step.
struct StepFailure {
  aclError status = ACL_SUCCESS;
  size_t task = 0;
};

// Runs a step that has members, on the threads in force.
StepFailure run_sweep(const Step& step, const std::vector<Task>& tasks);

}  // namespace aclgrad::runtime

#endif  // ACLGRAD_OPS_RUNTIME_STEPS_H_
