// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/steps.h"

#include <algorithm>
#include <mutex>
#include <optional>

namespace aclgrad::runtime {
namespace {

// Bytes that a piece touches: with what the kernels need besides, half of a small second-level
// cache.
constexpr int64_t kPieceBytes = int64_t{1} << 18;
// Fewer bytes stay in the caches from task to task anyway.
constexpr int64_t kWorthCutting = 4 * kPieceBytes;
// Rows of a piece are a multiple of this where rows are short, so that pieces begin where vectors
// do.
constexpr int64_t kShortRow = 64;

// Every task of a step is compared with every other one, so long chains of small tasks are cut.
constexpr size_t kMostTogether = 32;

using Operand = aclgradSweepOperand;

const std::byte* start(const Operand& operand) {
  return static_cast<const std::byte*>(operand.address);
}

// A task that can be cut, in rows of `units_per_row` units.
struct Candidate {
  int64_t units = 0;
  std::vector<Operand> operands;  // as the task tells them, by units

  std::vector<Operand> by_rows(int64_t rows) const {
    const int64_t together = units / rows;
    std::vector<Operand> result = operands;
    for (Operand& each : result) {
      each.length += each.step * (together - 1);
      each.step *= together;
    }
    return result;
  }
};

std::optional<Candidate> candidate(const Task& task) {
  if (task.sweep == nullptr || task.gate || task.only_on_worker) return std::nullopt;
  Candidate result{task.sweep->units(task.argument), {}};
  if (result.units <= 1) return std::nullopt;
  result.operands.resize(task.sweep->operands(task.argument, nullptr, 0));
  task.sweep->operands(task.argument, result.operands.data(), result.operands.size());
  return result;
}

// Whether a row of one operand touches bytes that another row of the other one does.
bool rows_collide(const Operand& a, const Operand& b, int64_t rows) {
  const std::byte* const first = std::min(start(a), start(b));
  const std::byte* const a_end = start(a) + a.step * (rows - 1) + a.length;
  const std::byte* const b_end = start(b) + b.step * (rows - 1) + b.length;
  if (a_end <= start(b) || b_end <= start(a)) return false;
  const std::byte* const last = std::max(start(a) + a.length, start(b) + b.length);
  return a.step != b.step || a.step <= 0 || last - first > a.step;
}

// Negative steps are not worth the thought.
bool is_simple(const Candidate& task) {
  return std::all_of(task.operands.begin(), task.operands.end(),
                     [](const Operand& each) { return each.step >= 0; });
}

bool fit_together(const std::vector<Operand>& a, const std::vector<Operand>& b, int64_t rows) {
  for (const Operand& x : a) {
    for (const Operand& y : b) {
      if ((x.is_written != 0 || y.is_written != 0) && rows_collide(x, y, rows)) return false;
    }
  }
  return true;
}

// Tasks that follow each other and may be one step.
class Group {
 public:
  bool try_add(const Candidate& task) {
    if (members_.size() == kMostTogether) return false;
    const int64_t rows = common_rows(task.units);
    if (rows <= 1 || !is_simple(task)) return false;
    const std::vector<Operand> added = task.by_rows(rows);
    for (const Candidate& member : members_) {
      if (!fit_together(member.by_rows(rows), added, rows)) return false;
    }
    members_.push_back(task);
    rows_ = rows;
    return true;
  }

  size_t size() const { return members_.size(); }

  // Whether cutting can gain anything: the tasks share memory, and more than caches hold.
  bool is_worthwhile() const { return size() > 1 && rows_ * bytes_of_row() >= kWorthCutting; }

  Step step(size_t first) const {
    Step step{.first = first, .members = {}, .rows = rows_};
    step.rows_per_piece = std::clamp<int64_t>(kPieceBytes / bytes_of_row(), 1, rows_);
    if (step.rows_per_piece > kShortRow) step.rows_per_piece -= step.rows_per_piece % kShortRow;
    for (size_t m = 0; m < size(); ++m) {
      step.members.push_back({members_[m].units / rows_, is_read_after(m)});
    }
    return step;
  }

 private:
  int64_t common_rows(int64_t units) const {
    if (members_.empty()) return units;
    if (rows_ % units == 0) return units;
    return units % rows_ == 0 ? rows_ : 1;
  }

  // Each piece of memory counts once.
  int64_t bytes_of_row() const {
    std::vector<const void*> seen;
    int64_t bytes = 0;
    for (const Candidate& member : members_) {
      for (const Operand& each : member.by_rows(rows_)) {
        if (std::find(seen.begin(), seen.end(), each.address) != seen.end()) continue;
        seen.push_back(each.address);
        if (each.step > 0) bytes += each.length;
      }
    }
    return std::max<int64_t>(bytes, 1);
  }

  bool is_read_after(size_t m) const {
    for (size_t later = m + 1; later < size(); ++later) {
      for (const Operand& read : members_[later].operands) {
        if (read.is_written != 0) continue;
        for (const Operand& written : members_[m].operands) {
          if (written.is_written != 0 && written.address == read.address) return true;
        }
      }
    }
    return false;
  }

  std::vector<Candidate> members_;
  int64_t rows_ = 0;
};

void append(std::vector<Step>& steps, const Group& group, size_t end) {
  const size_t first = end - group.size();
  if (group.is_worthwhile()) {
    steps.push_back(group.step(first));
    return;
  }
  for (size_t task = first; task < end; ++task) steps.push_back({.first = task, .members = {}});
}

}  // namespace

std::vector<Step> plan_steps(const std::vector<Task>& tasks, bool allow_sweeps) {
  std::vector<Step> steps;
  Group group;
  for (size_t i = 0; i < tasks.size(); ++i) {
    const std::optional<Candidate> task = allow_sweeps ? candidate(tasks[i]) : std::nullopt;
    if (task && group.try_add(*task)) continue;
    append(steps, group, i);
    group = Group();
    if (!task || !group.try_add(*task)) steps.push_back({.first = i, .members = {}});
  }
  append(steps, group, tasks.size());
  return steps;
}

StepFailure run_sweep(const Step& step, const std::vector<Task>& tasks) {
  StepFailure failure;
  std::mutex mutex;
  const auto run_piece = [&](int64_t piece) {
    const int64_t begin = piece * step.rows_per_piece;
    const int64_t end = std::min(step.rows, begin + step.rows_per_piece);
    for (size_t m = 0; m < step.members.size(); ++m) {
      const Task& task = tasks[step.first + m];
      const Step::Member& member = step.members[m];
      const aclError status = task.sweep->run(task.argument, begin * member.units_per_row,
                                              end * member.units_per_row, member.read_soon ? 1 : 0);
      if (status == ACL_SUCCESS) continue;
      const std::lock_guard lock(mutex);
      if (failure.status == ACL_SUCCESS || step.first + m < failure.task) {
        failure = {status, step.first + m};
      }
      return;
    }
  };
  const int64_t pieces = (step.rows + step.rows_per_piece - 1) / step.rows_per_piece;
  using RunPiece = decltype(run_piece);
  aclgradRunPieces(
      pieces, [](void* run, int64_t piece) { (*static_cast<const RunPiece*>(run))(piece); },
      const_cast<void*>(static_cast<const void*>(&run_piece)));
  return failure;
}

}  // namespace aclgrad::runtime
