// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/capture/segments.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>

#include "ops/runtime/base/float_environment.h"
#include "ops/runtime/call/errors.h"
#include "ops/runtime/capture/co_schedule.h"
#include "ops/runtime/capture/partition.h"
#include "ops/runtime/threads/parallel_for.h"
#include "ops/threads/thread_guards.h"

namespace aclgrad::runtime {
namespace {

// Bytes that a chunk touches: with what the kernels need besides, half of a small second-level
// cache.
constexpr int64_t kChunkBytes = int64_t{1} << 18;
// Fewer bytes stay in the caches from task to task anyway.
constexpr int64_t kMinForCutting = 4 * kChunkBytes;
// With a task that has row groups, each thread finds in its own cache what it has written; fewer
// bytes are not shared by two threads.
constexpr int64_t kMinForSharing = int64_t{1} << 15;
// Rows of a chunk are a multiple of this where rows are short, so that chunks begin where vectors
// do.
constexpr int64_t kShortRow = 64;

// How many segments a task may overtake.
constexpr size_t kMaxOvertaken = 8;

// A segment in the making.
struct Draft {
  size_t task = 0;                     // if there is no group
  std::optional<Partition> partition;  // of that; nothing: no task may overtake it
  FusionGroup group;

  bool stops(const Partition& other) const {
    return group.size() > 0 ? group.depends_on(other) : !partition || depend(*partition, other);
  }
};

// Adds the task to a segment that there is, if possible: its producer, or else
// the last one, if they have something in common.
bool join(std::deque<Draft>& drafts, size_t task, const Partition& partition) {
  for (auto draft = drafts.rbegin(); draft != drafts.rend(); ++draft) {
    if (draft->group.is_producer_of(partition) && draft->group.try_add(task, partition))
      return true;
    if (draft->stops(partition)) break;
  }
  if (drafts.empty() || partition.has_row_groups()) return false;
  FusionGroup& last = drafts.back().group;
  return !last.has_row_groups() && last.shares_with(partition) && last.try_add(task, partition);
}

// Whether fusing gains anything: the tasks share memory, and more than caches hold, or there
// is something to be had for threads.
bool is_worthwhile(const FusionGroup& group) {
  const int64_t bytes = group.rows() * group.bytes_of_row();
  return group.size() > 1 && bytes >= (group.has_row_groups() ? kMinForSharing : kMinForCutting);
}

Segment segment_of(const FusionGroup& group) {
  Segment segment{.members = {}, .is_fused = true, .row_group = group.row_group()};
  segment.by_threads = group.has_row_groups();
  segment.row_groups = group.rows() / segment.row_group;
  const int64_t fitting = kChunkBytes / (group.bytes_of_row() * segment.row_group);
  segment.row_groups_per_chunk =
      std::clamp(std::max(fitting, group.min_row_groups()), int64_t{1}, segment.row_groups);
  if (!segment.by_threads && segment.row_groups_per_chunk > kShortRow) {
    segment.row_groups_per_chunk -= segment.row_groups_per_chunk % kShortRow;
  }
  for (size_t m = 0; m < group.size(); ++m) {
    const FusionGroup::Member& member = group.members()[m];
    segment.members.push_back(
        {member.task, member.partition.units / group.rows(), group.is_read_after(m)});
  }
  return segment;
}

void append(std::vector<Segment>& segments, const Draft& draft) {
  if (is_worthwhile(draft.group)) {
    segments.push_back(segment_of(draft.group));
    return;
  }
  const auto append_whole = [&](size_t task) { segments.push_back({.members = {{.task = task}}}); };
  if (draft.group.size() == 0) append_whole(draft.task);
  for (const FusionGroup::Member& member : draft.group.members()) append_whole(member.task);
}

// Row groups, and the part of each.
struct RowRange {
  int64_t first;
  int64_t row_groups;
  int64_t left;
  int64_t right;
};

// How a segment is split for so many threads. Where a row group is split, chunks below each other
// are one thread's.
class Chunks {
 public:
  Chunks(const Segment& segment, int64_t threads)
      : segment_(segment),
        threads_(threads),
        down_((segment.row_groups + segment.row_groups_per_chunk - 1) /
              segment.row_groups_per_chunk) {
    if (!segment.by_threads || is_by_columns()) return;
    down_ = std::min(segment.row_groups, (down_ + threads - 1) / threads * threads);
  }

  // Runs the places on the threads, and what is co-scheduled with them.
  template <class RunPlace>
  void run(const RunPlace& run_place, const CoScheduled& co_scheduled) const {
    if (is_by_columns()) {
      share(segment_.row_group, co_scheduled, [&](int64_t left, int64_t right) {
        run_row_groups(run_place, 0, segment_.row_groups, left, right);
      });
    } else if (segment_.by_threads && down_ == threads_) {
      share(segment_.row_groups, co_scheduled, [&](int64_t begin, int64_t end) {
        run_row_groups(run_place, begin, end, 0, segment_.row_group);  // one thread may get all
      });
    } else {
      const auto run_chunk = [&](int64_t row) {
        run_place({start(row), start(row + 1) - start(row), 0, segment_.row_group});
      };
      using RunChunk = decltype(run_chunk);
      parallel_for(
          down_, [](void* run, int64_t row) { (*static_cast<const RunChunk*>(run))(row); },
          const_cast<void*>(static_cast<const void*>(&run_chunk)), co_scheduled);
    }
  }

 private:
  bool is_by_columns() const { return std::min(segment_.row_group, threads_) > 1; }

  // In chunks.
  template <class RunPlace>
  void run_row_groups(const RunPlace& run_place, int64_t begin, int64_t end, int64_t left,
                      int64_t right) const {
    const int64_t row_groups = end - begin;
    const int64_t chunks = std::max<int64_t>(
        1, (row_groups + segment_.row_groups_per_chunk / 2) / segment_.row_groups_per_chunk);
    for (int64_t i = 0; i < chunks; ++i) {
      const int64_t first = begin + row_groups * i / chunks;
      run_place({first, begin + row_groups * (i + 1) / chunks - first, left, right});
    }
  }

  int64_t start(int64_t row) const {
    return segment_.by_threads ? segment_.row_groups * row / down_
                               : std::min(segment_.row_groups, row * segment_.row_groups_per_chunk);
  }

  template <class RunRange>
  static void share(int64_t units, const CoScheduled& co_scheduled, const RunRange& run_range) {
    parallel_for_ranges(
        units,
        [](void* run, int64_t begin, int64_t end) {
          (*static_cast<const RunRange*>(run))(begin, end);
        },
        const_cast<void*>(static_cast<const void*>(&run_range)), co_scheduled);
  }

  const Segment& segment_;
  int64_t threads_;
  int64_t down_;
};

// One run of a fused segment.
class FusedRun {
 public:
  FusedRun(const Segment& segment, const std::vector<Task>& tasks)
      : segment_(segment), tasks_(tasks) {}

  SegmentFailure operator()() {
    const auto run_chain = [](void* self, int64_t number) {
      static_cast<FusedRun*>(self)->run_chain(static_cast<size_t>(number));
    };
    Chunks(segment_, threads_)
        .run([&](const RowRange& place) { run_place(place); },
             {static_cast<int64_t>(segment_.co_scheduled.size()), run_chain, this});
    return std::move(failure_);
  }

 private:
  void run_place(const RowRange& place) {
    for (const Segment::Member& member : segment_.members) {
      const Task& task = tasks_[member.task];
      const aclgradTile part = {
          .begin = (place.first * segment_.row_group + place.left) * member.units_per_row,
          .end = (place.first * segment_.row_group + place.right) * member.units_per_row,
          .rows = place.row_groups,
          .stride = segment_.row_group * member.units_per_row,
          .keep_cached = member.keep_cached ? 1 : 0,
      };
      const aclError status = task.tiling->run(task.argument, &part);
      if (status != ACL_SUCCESS) return record_failure({status, member.task, take_explanation()});
    }
  }

  void run_chain(size_t number) {
    for (const size_t index : segment_.co_scheduled[number]) {
      const Task& task = tasks_[index];
      aclError status = ACL_SUCCESS;
      try {
        status = run_without_trace(task.run, task.argument);
      } catch (const ForcedUnwind&) {
        throw;
      } catch (...) {
        return record_failure(failure_in_flight(index));
      }
      if (status != ACL_SUCCESS) return record_failure({status, index, take_explanation()});
    }
  }

  void record_failure(SegmentFailure failure) {
    const std::lock_guard lock(mutex_);
    if (failure_.status == ACL_SUCCESS || failure.task < failure_.task) {
      failure_ = std::move(failure);
    }
  }

  const Segment& segment_;
  const std::vector<Task>& tasks_;
  const int64_t threads_ = aclgradGetNumThreads();
  SegmentFailure failure_;
  std::mutex mutex_;
};

}  // namespace

std::vector<Segment> plan_segments(const std::vector<Task>& tasks, bool allow_fusion) {
  std::vector<Segment> segments;
  std::deque<Draft> drafts;
  for (size_t task = 0; task < tasks.size(); ++task) {
    std::optional<Partition> partition = allow_fusion ? partition_of(tasks[task]) : std::nullopt;
    if (partition && partition->is_possible() && join(drafts, task, *partition)) continue;
    Draft& draft = drafts.emplace_back();
    draft.task = task;
    if (!partition || !draft.group.try_add(task, *partition))
      draft.partition = std::move(partition);
    if (drafts.size() <= kMaxOvertaken + 1) continue;
    append(segments, drafts.front());
    drafts.pop_front();
  }
  for (const Draft& draft : drafts) append(segments, draft);
  if (allow_fusion) co_schedule(segments, tasks);
  return segments;
}

SegmentFailure failure_in_flight(size_t task) noexcept {
  return describe_exception([task](aclError status, const char* reason) -> SegmentFailure {
    try {
      return {status, task, reason};
    } catch (const std::bad_alloc&) {
      return {status, task};  // without a reason
    }
  });
}

SegmentFailure run_fused(const Segment& segment, const std::vector<Task>& tasks) {
  FusedRun run(segment, tasks);
  return run();
}

}  // namespace aclgrad::runtime
