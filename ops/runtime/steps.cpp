// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/steps.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>

#include "ops/runtime/beside.h"
#include "ops/runtime/cut.h"
#include "ops/runtime/explanation.h"
#include "ops/runtime/float_environment.h"
#include "ops/runtime/pieces.h"
#include "ops/threads/thread_guards.h"

namespace aclgrad::runtime {
namespace {

// Bytes that a piece touches: with what the kernels need besides, half of a small second-level
// cache.
constexpr int64_t kPieceBytes = int64_t{1} << 18;
// Fewer bytes stay in the caches from task to task anyway.
constexpr int64_t kWorthCutting = 4 * kPieceBytes;
// With a task that has lines, each thread finds in its own cache what it has written; fewer bytes
// are not worth two threads.
constexpr int64_t kWorthSharing = int64_t{1} << 15;
// Rows of a piece are a multiple of this where rows are short, so that pieces begin where vectors
// do.
constexpr int64_t kShortRow = 64;

// How many steps a task may overtake.
constexpr size_t kMostOvertaken = 8;

// A step in the making.
struct Draft {
  size_t task = 0;         // if there is no group
  std::optional<Cut> cut;  // of that; nothing: nobody may overtake it
  Group group;

  bool stops(const Cut& other) const {
    return group.size() > 0 ? group.depends_on(other) : !cut || depend(*cut, other);
  }
};

// Adds the task to a step that there is, if possible: one that hands something on to it, or else
// the last one, if they have something in common.
bool join(std::deque<Draft>& drafts, size_t task, const Cut& cut) {
  for (auto draft = drafts.rbegin(); draft != drafts.rend(); ++draft) {
    if (draft->group.hands_on(cut) && draft->group.try_add(task, cut)) return true;
    if (draft->stops(cut)) break;
  }
  if (drafts.empty() || cut.has_lines()) return false;
  Group& last = drafts.back().group;
  return !last.has_lines() && last.shares_with(cut) && last.try_add(task, cut);
}

// Whether cutting can gain anything: the tasks share memory, and more than caches hold, or there
// is something to be had for threads.
bool is_worthwhile(const Group& group) {
  const int64_t bytes = group.rows() * group.bytes_of_row();
  return group.size() > 1 && bytes >= (group.has_lines() ? kWorthSharing : kWorthCutting);
}

Step step_of(const Group& group) {
  Step step{.members = {}, .is_cut = true, .line = group.line()};
  step.by_threads = group.has_lines();
  step.lines = group.rows() / step.line;
  const int64_t fitting = kPieceBytes / (group.bytes_of_row() * step.line);
  step.lines_per_piece =
      std::clamp(std::max(fitting, group.fewest_lines()), int64_t{1}, step.lines);
  if (!step.by_threads && step.lines_per_piece > kShortRow) {
    step.lines_per_piece -= step.lines_per_piece % kShortRow;
  }
  for (size_t m = 0; m < group.size(); ++m) {
    const Group::Member& member = group.members()[m];
    step.members.push_back({member.task, member.cut.units / group.rows(), group.is_read_after(m)});
  }
  return step;
}

void append(std::vector<Step>& steps, const Draft& draft) {
  if (is_worthwhile(draft.group)) {
    steps.push_back(step_of(draft.group));
    return;
  }
  const auto append_whole = [&](size_t task) { steps.push_back({.members = {{.task = task}}}); };
  if (draft.group.size() == 0) append_whole(draft.task);
  for (const Group::Member& member : draft.group.members()) append_whole(member.task);
}

// Lines, and the part of each.
struct Place {
  int64_t first;
  int64_t lines;
  int64_t left;
  int64_t right;
};

// How a step is cut for so many threads. Where a line is cut, pieces below each other are one
// thread's.
class Pieces {
 public:
  Pieces(const Step& step, int64_t threads)
      : step_(step),
        threads_(threads),
        down_((step.lines + step.lines_per_piece - 1) / step.lines_per_piece) {
    if (!step.by_threads || is_by_columns()) return;
    down_ = std::min(step.lines, (down_ + threads - 1) / threads * threads);
  }

  // Runs the places on the threads, and something else beside them.
  template <class RunPlace>
  void run(const RunPlace& run_place, const Beside& beside) const {
    if (is_by_columns()) {
      share(step_.line, beside, [&](int64_t left, int64_t right) {
        run_lines(run_place, 0, step_.lines, left, right);
      });
    } else if (step_.by_threads && down_ == threads_) {
      share(step_.lines, beside, [&](int64_t begin, int64_t end) {
        run_lines(run_place, begin, end, 0, step_.line);  // one thread may get all
      });
    } else {
      const auto run_piece = [&](int64_t row) {
        run_place({start(row), start(row + 1) - start(row), 0, step_.line});
      };
      using RunPiece = decltype(run_piece);
      run_pieces(
          down_, [](void* run, int64_t row) { (*static_cast<const RunPiece*>(run))(row); },
          const_cast<void*>(static_cast<const void*>(&run_piece)), beside);
    }
  }

 private:
  bool is_by_columns() const { return std::min(step_.line, threads_) > 1; }

  // In pieces.
  template <class RunPlace>
  void run_lines(const RunPlace& run_place, int64_t begin, int64_t end, int64_t left,
                 int64_t right) const {
    const int64_t lines = end - begin;
    const int64_t pieces =
        std::max<int64_t>(1, (lines + step_.lines_per_piece / 2) / step_.lines_per_piece);
    for (int64_t i = 0; i < pieces; ++i) {
      const int64_t first = begin + lines * i / pieces;
      run_place({first, begin + lines * (i + 1) / pieces - first, left, right});
    }
  }

  int64_t start(int64_t row) const {
    return step_.by_threads ? step_.lines * row / down_
                            : std::min(step_.lines, row * step_.lines_per_piece);
  }

  template <class RunRange>
  static void share(int64_t units, const Beside& beside, const RunRange& run_range) {
    run_shares(
        units,
        [](void* run, int64_t begin, int64_t end) {
          (*static_cast<const RunRange*>(run))(begin, end);
        },
        const_cast<void*>(static_cast<const void*>(&run_range)), beside);
  }

  const Step& step_;
  int64_t threads_;
  int64_t down_;
};

// One run of a step that is cut.
class SweepRun {
 public:
  SweepRun(const Step& step, const std::vector<Task>& tasks) : step_(step), tasks_(tasks) {}

  StepFailure operator()() {
    const auto run_chain = [](void* self, int64_t number) {
      static_cast<SweepRun*>(self)->run_chain(static_cast<size_t>(number));
    };
    Pieces(step_, threads_)
        .run([&](const Place& place) { run_place(place); },
             {static_cast<int64_t>(step_.beside.size()), run_chain, this});
    return std::move(failure_);
  }

 private:
  void run_place(const Place& place) {
    for (const Step::Member& member : step_.members) {
      const Task& task = tasks_[member.task];
      const aclgradSweepPart part = {
          .begin = (place.first * step_.line + place.left) * member.units_per_row,
          .end = (place.first * step_.line + place.right) * member.units_per_row,
          .rows = place.lines,
          .stride = step_.line * member.units_per_row,
          .read_soon = member.read_soon ? 1 : 0,
      };
      const aclError status = task.sweep->run(task.argument, &part);
      if (status != ACL_SUCCESS) return note({status, member.task, take_explanation()});
    }
  }

  void run_chain(size_t number) {
    for (const size_t index : step_.beside[number]) {
      const Task& task = tasks_[index];
      aclError status = ACL_SUCCESS;
      try {
        status = run_without_trace(task.run, task.argument);
      } catch (const ForcedUnwind&) {
        throw;
      } catch (...) {
        return note(failure_in_flight(index));
      }
      if (status != ACL_SUCCESS) return note({status, index, take_explanation()});
    }
  }

  void note(StepFailure failure) {
    const std::lock_guard lock(mutex_);
    if (failure_.status == ACL_SUCCESS || failure.task < failure_.task) {
      failure_ = std::move(failure);
    }
  }

  const Step& step_;
  const std::vector<Task>& tasks_;
  const int64_t threads_ = aclgradGetNumThreads();
  StepFailure failure_;
  std::mutex mutex_;
};

}  // namespace

std::vector<Step> plan_steps(const std::vector<Task>& tasks, bool allow_sweeps) {
  std::vector<Step> steps;
  std::deque<Draft> drafts;
  for (size_t task = 0; task < tasks.size(); ++task) {
    std::optional<Cut> cut = allow_sweeps ? cut_of(tasks[task]) : std::nullopt;
    if (cut && cut->is_possible() && join(drafts, task, *cut)) continue;
    Draft& draft = drafts.emplace_back();
    draft.task = task;
    if (!cut || !draft.group.try_add(task, *cut)) draft.cut = std::move(cut);
    if (drafts.size() <= kMostOvertaken + 1) continue;
    append(steps, drafts.front());
    drafts.pop_front();
  }
  for (const Draft& draft : drafts) append(steps, draft);
  if (allow_sweeps) put_beside(steps, tasks);
  return steps;
}

StepFailure failure_in_flight(size_t task) noexcept {
  return tell_of_exception([task](aclError status, const char* reason) -> StepFailure {
    try {
      return {status, task, reason};
    } catch (const std::bad_alloc&) {
      return {status, task};  // which has to do without words
    }
  });
}

StepFailure run_sweep(const Step& step, const std::vector<Task>& tasks) {
  SweepRun run(step, tasks);
  return run();
}

}  // namespace aclgrad::runtime
