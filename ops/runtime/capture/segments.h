// SPDX-License-Identifier: Apache-2.0
// How a recorded model runs its tasks: one after the other, or, where tasks can be fused
// (partition.h), chunk by chunk through all of them. A task may change places with others that it
// has no memory in common with: to get to those that it has, or to run at the same time as a fused
// segment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/runtime/stream/stream.h"

namespace aclgrad::runtime {

struct Segment {
  struct Member {
    size_t task = 0;
    int64_t units_per_row = 0;
    bool keep_cached = false;  // a later member reads what this one writes
  };
  std::vector<Member> members;
  // Otherwise there is one member, to be run as a whole.
  bool is_fused = false;
  int64_t row_groups = 0;
  // Rows of a row group. Where there are several, each thread takes its part of all groups.
  int64_t row_group = 1;
  int64_t row_groups_per_chunk = 0;
  // Chunks have about this many row groups. By threads: each thread gets equally many chunks, or
  // one whose size follows the thread's speed.
  bool by_threads = false;
  // Tasks that run as a whole, co-scheduled with those that are fused (co_schedule.h). The tasks of
  // a chain depend on each other.
  using Chain = std::vector<size_t>;
  std::vector<Chain> co_scheduled = {};
};

// The segments of a sequence of tasks; every task alone, in order, unless fusion is allowed.
std::vector<Segment> plan_segments(const std::vector<Task>& tasks, bool allow_fusion);

// What went wrong in a segment.
struct SegmentFailure {
  aclError status = ACL_SUCCESS;
  size_t task = 0;
  std::string reason = {};
};

// Of a task that left with an exception, to be called by its handler.
SegmentFailure failure_in_flight(size_t task) noexcept;

// Runs a fused segment, on the threads in force. Of several tasks that failed the first counts.
SegmentFailure run_fused(const Segment& segment, const std::vector<Task>& tasks);

}  // namespace aclgrad::runtime
