// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/cut.h"

#include <algorithm>

namespace aclgrad::runtime {
namespace {

// Every task of a group is compared with every other one, so long chains of small tasks are cut.
constexpr size_t kMostTogether = 32;
// Bytes that every row needs where several tasks have lines: the caches must hold them all.
constexpr int64_t kMostForAll = int64_t{1} << 20;

using Operand = Cut::Operand;

const std::byte* start(const Operand& operand) {
  return static_cast<const std::byte*>(operand.address);
}

const std::byte* end(const Operand& operand, int64_t rows) {
  return start(operand) + operand.step * (rows - 1) + operand.length;
}

bool one_is_written(const Operand& a, const Operand& b) {
  return a.is_written != 0 || b.is_written != 0;
}

bool overlap(const Operand& a, int64_t a_rows, const Operand& b, int64_t b_rows) {
  return end(a, a_rows) > start(b) && end(b, b_rows) > start(a);
}

// Whether a row of one operand touches bytes that another row of the other one does.
bool rows_collide(const Operand& a, const Operand& b, int64_t rows) {
  if (!overlap(a, rows, b, rows)) return false;
  const std::byte* const first = std::min(start(a), start(b));
  const std::byte* const last = std::max(start(a) + a.length, start(b) + b.length);
  return a.step != b.step || a.step <= 0 || last - first > a.step;
}

// An operand of so many units, by rows of several of them.
Operand in_rows(Operand operand, int64_t units, int64_t rows) {
  if (units == rows) return operand;
  const int64_t together = units / rows;
  operand.length += operand.step * (together - 1);
  operand.step *= together;
  return operand;
}

// Whether the tasks' rows, so many of each, can be run without regard to each other.
bool fit_together(const Cut& a, const Cut& b, int64_t rows) {
  return std::none_of(a.operands.begin(), a.operands.end(), [&](const Operand& x) {
    const Operand row_of_x = in_rows(x, a.units, rows);
    return std::any_of(b.operands.begin(), b.operands.end(), [&](const Operand& y) {
      return one_is_written(x, y) && rows_collide(row_of_x, in_rows(y, b.units, rows), rows);
    });
  });
}

// Whether the task can be cut at all. Negative steps are not worth the thought.
bool rows_are_apart(const Cut& cut) {
  return std::all_of(cut.operands.begin(), cut.operands.end(),
                     [](const Operand& each) { return each.step >= 0; }) &&
         fit_together(cut, cut, cut.units);
}

// The rows that tasks of so many units have in common; 0 when there are none.
int64_t common_rows(int64_t a, int64_t b) {
  if (a % b == 0) return b;
  return b % a == 0 ? a : 0;
}

// How many rows a line is; 0 when a row would be more than a line, or a part of two.
int64_t line_in_rows(const Cut& cut, int64_t rows) {
  const int64_t together = cut.units / rows;
  return cut.line % together == 0 ? cut.line / together : 0;
}

}  // namespace

std::vector<Operand> Cut::by_rows(int64_t rows) const {
  std::vector<Operand> result = operands;
  for (Operand& each : result) each = in_rows(each, units, rows);
  return result;
}

int64_t Cut::bytes_for_all() const {
  int64_t bytes = 0;
  for (const Operand& each : operands) bytes += each.step == 0 ? each.length : 0;
  return bytes;
}

int64_t Cut::bytes() const {
  int64_t bytes = 0;
  for (const Operand& each : operands) {
    bytes += end(each, std::max<int64_t>(units, 1)) - start(each);
  }
  return bytes;
}

std::optional<Cut> cut_of(const Task& task) {
  if (task.sweep == nullptr || task.gate || task.only_on_worker) return std::nullopt;
  Cut cut{.units = task.sweep->units(task.argument), .operands = {}};
  cut.operands.resize(task.sweep->operands(task.argument, nullptr, 0));
  task.sweep->operands(task.argument, cut.operands.data(), cut.operands.size());
  std::erase_if(cut.operands, [](const Operand& each) { return each.length == 0; });
  if (task.sweep->lines != nullptr && cut.is_possible()) {
    task.sweep->lines(task.argument, &cut.line, &cut.fewest_lines);
  }
  if (!rows_are_apart(cut)) {
    const int64_t units = std::max<int64_t>(cut.units, 1);
    for (Operand& each : cut.operands) {
      const std::byte* const from = std::min(start(each), start(each) + each.step * (units - 1));
      each = {from, 0, std::abs(each.step) * (units - 1) + each.length, each.is_written};
    }
    cut.units = cut.line = cut.fewest_lines = 1;
  }
  return cut;
}

bool depend(const Cut& a, const Cut& b) {
  return std::any_of(a.operands.begin(), a.operands.end(), [&](const Operand& x) {
    return std::any_of(b.operands.begin(), b.operands.end(), [&](const Operand& y) {
      return one_is_written(x, y) &&
             overlap(x, std::max<int64_t>(a.units, 1), y, std::max<int64_t>(b.units, 1));
    });
  });
}

bool Group::try_add(size_t task, const Cut& cut) {
  if (members_.size() == kMostTogether || !cut.is_possible()) return false;
  const int64_t rows = members_.empty() ? cut.units : common_rows(rows_, cut.units);
  if (rows <= 1) return false;
  if (cut.has_lines() && has_lines() && !go_together_in_lines(cut)) return false;
  if (cut.has_lines() && line_in_rows(cut, rows) == 0) return false;
  for (const Member& member : members_) {
    if (member.cut.has_lines() && line_in_rows(member.cut, rows) == 0) return false;
    if (!fit_together(member.cut, cut, rows)) return false;
  }
  members_.push_back({task, cut});
  rows_ = rows;
  return true;
}

// Each task has its own idea of lines: where those are single rows, and it does not want more of
// them than the others do, it can follow them.
bool Group::go_together_in_lines(const Cut& cut) const {
  if (cut.line > 1 || line() > 1 || cut.fewest_lines > fewest_lines()) return false;
  int64_t bytes = cut.bytes_for_all();
  for (const Member& member : members_) bytes += member.cut.bytes_for_all();
  return bytes <= kMostForAll;
}

bool Group::has_lines() const {
  return std::any_of(members_.begin(), members_.end(),
                     [](const Member& member) { return member.cut.has_lines(); });
}

template <class Relation>
bool Group::any_operands(const Cut& cut, const Relation& relation) const {
  return std::any_of(members_.begin(), members_.end(), [&](const Member& member) {
    return std::any_of(cut.operands.begin(), cut.operands.end(), [&](const Operand& x) {
      return std::any_of(member.cut.operands.begin(), member.cut.operands.end(),
                         [&](const Operand& y) { return relation(x, y); });
    });
  });
}

bool Group::hands_on(const Cut& cut) const {
  return any_operands(cut, [](const Operand& x, const Operand& y) {
    return x.address == y.address && one_is_written(x, y);
  });
}

bool Group::shares_with(const Cut& cut) const {
  return any_operands(cut,
                      [](const Operand& x, const Operand& y) { return x.address == y.address; });
}

bool Group::depends_on(const Cut& cut) const {
  return std::any_of(members_.begin(), members_.end(),
                     [&](const Member& member) { return depend(member.cut, cut); });
}

int64_t Group::line() const {
  for (const Member& member : members_) {
    if (member.cut.has_lines()) return line_in_rows(member.cut, rows_);
  }
  return 1;
}

int64_t Group::fewest_lines() const {
  int64_t fewest = 1;
  for (const Member& member : members_) fewest = std::max(fewest, member.cut.fewest_lines);
  return fewest;
}

int64_t Group::bytes_of_row() const {
  std::vector<const void*> seen;
  int64_t bytes = 0;
  for (const Member& member : members_) {
    for (const Operand& each : member.cut.by_rows(rows_)) {
      if (std::find(seen.begin(), seen.end(), each.address) != seen.end()) continue;
      seen.push_back(each.address);
      if (each.step > 0) bytes += each.length;
    }
  }
  return std::max<int64_t>(bytes, 1);
}

bool Group::is_read_after(size_t member) const {
  for (size_t later = member + 1; later < members_.size(); ++later) {
    for (const Operand& read : members_[later].cut.operands) {
      if (read.is_written != 0) continue;
      for (const Operand& written : members_[member].cut.operands) {
        if (written.is_written != 0 && written.address == read.address) return true;
      }
    }
  }
  return false;
}

}  // namespace aclgrad::runtime
