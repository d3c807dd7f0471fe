// SPDX-License-Identifier: Apache-2.0
// How a recorded model runs its tasks: one after the other, or, where tasks can be cut together
// (cut.h), piece by piece through all of them. A task may change places with others that it has no
// memory in common with: to get to those that it has, or to run beside a step that is cut.
#ifndef ACLGRAD_OPS_RUNTIME_STEPS_H_
#define ACLGRAD_OPS_RUNTIME_STEPS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/runtime/stream.h"

namespace aclgrad::runtime {

struct Step {
  struct Member {
    size_t task = 0;
    int64_t units_per_row = 0;
    bool read_soon = false;  // a later member reads what this one writes
  };
  std::vector<Member> members;
  // Otherwise there is one member, to be run as a whole.
  bool is_cut = false;
  int64_t lines = 0;
  // Rows of a line. Where there are several, each thread takes its part of all lines.
  int64_t line = 1;
  int64_t lines_per_piece = 0;
  // Of about so many lines, as many pieces for each thread, or one that suits its speed.
  bool by_threads = false;
  // Tasks that run as a whole beside those that are cut (beside.h), in chains of such as need each
  // other.
  using Chain = std::vector<size_t>;
  std::vector<Chain> beside = {};
};

// The steps of a sequence of tasks; every task alone, in order, unless sweeps are allowed.
std::vector<Step> plan_steps(const std::vector<Task>& tasks, bool allow_sweeps);

// What went wrong in a step.
struct StepFailure {
  aclError status = ACL_SUCCESS;
  size_t task = 0;
  std::string reason = {};
};

// Of a task that left with an exception, to be called by its handler.
StepFailure failure_in_flight(size_t task) noexcept;

// Runs a step that is cut, on the threads in force. Of several tasks that failed the first counts.
StepFailure run_sweep(const Step& step, const std::vector<Task>& tasks);

}  // namespace aclgrad::runtime

#endif  // ACLGRAD_OPS_RUNTIME_STEPS_H_
