// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/capture/partition.h"

#include <algorithm>

namespace aclgrad::runtime {
namespace {

// Every task of a group is compared with every other one, so long chains of small tasks are split.
constexpr size_t kMaxMembers = 32;
// Bytes that every row needs where several tasks have row groups: the caches must hold them all.
constexpr int64_t kMaxBytesForAll = int64_t{1} << 20;

using Footprint = Partition::Footprint;

const std::byte* start(const Footprint& operand) {
  return static_cast<const std::byte*>(operand.address);
}

const std::byte* end(const Footprint& operand, int64_t rows) {
  return start(operand) + operand.step * (rows - 1) + operand.length;
}

bool one_is_written(const Footprint& a, const Footprint& b) {
  return a.is_written != 0 || b.is_written != 0;
}

bool overlap(const Footprint& a, int64_t a_rows, const Footprint& b, int64_t b_rows) {
  return end(a, a_rows) > start(b) && end(b, b_rows) > start(a);
}

// Whether a row of one operand touches bytes that another row of the other one does.
bool rows_collide(const Footprint& a, const Footprint& b, int64_t rows) {
  if (!overlap(a, rows, b, rows)) return false;
  const std::byte* const first = std::min(start(a), start(b));
  const std::byte* const last = std::max(start(a) + a.length, start(b) + b.length);
  return a.step != b.step || a.step <= 0 || last - first > a.step;
}

// An operand of so many units, by rows of several of them.
Footprint in_rows(Footprint operand, int64_t units, int64_t rows) {
  if (units == rows) return operand;
  const int64_t together = units / rows;
  operand.length += operand.step * (together - 1);
  operand.step *= together;
  return operand;
}

// Whether the tasks' rows, so many of each, can be run without regard to each other.
bool fit_together(const Partition& a, const Partition& b, int64_t rows) {
  return std::none_of(a.operands.begin(), a.operands.end(), [&](const Footprint& x) {
    const Footprint row_of_x = in_rows(x, a.units, rows);
    return std::any_of(b.operands.begin(), b.operands.end(), [&](const Footprint& y) {
      return one_is_written(x, y) && rows_collide(row_of_x, in_rows(y, b.units, rows), rows);
    });
  });
}

// Whether the task can be partitioned at all. A negative `step` is not supported.
bool rows_are_apart(const Partition& partition) {
  return std::all_of(partition.operands.begin(), partition.operands.end(),
                     [](const Footprint& each) { return each.step >= 0; }) &&
         fit_together(partition, partition, partition.units);
}

// The rows that tasks of so many units have in common; 0 when there are none.
int64_t common_rows(int64_t a, int64_t b) {
  if (a % b == 0) return b;
  return b % a == 0 ? a : 0;
}

// How many rows a row group is; 0 when a row would be more than a group, or a part of two.
int64_t row_group_in_rows(const Partition& partition, int64_t rows) {
  const int64_t together = partition.units / rows;
  return partition.row_group % together == 0 ? partition.row_group / together : 0;
}

}  // namespace

std::vector<Footprint> Partition::by_rows(int64_t rows) const {
  std::vector<Footprint> result = operands;
  for (Footprint& each : result) each = in_rows(each, units, rows);
  return result;
}

int64_t Partition::bytes_for_all() const {
  int64_t bytes = 0;
  for (const Footprint& each : operands) bytes += each.step == 0 ? each.length : 0;
  return bytes;
}

int64_t Partition::bytes() const {
  int64_t bytes = 0;
  for (const Footprint& each : operands) {
    bytes += end(each, std::max<int64_t>(units, 1)) - start(each);
  }
  return bytes;
}

std::optional<Partition> partition_of(const Task& task) {
  if (task.tiling == nullptr || task.latch || task.only_on_worker) return std::nullopt;
  Partition partition{.units = task.tiling->units(task.argument), .operands = {}};
  partition.operands.resize(task.tiling->operands(task.argument, nullptr, 0));
  task.tiling->operands(task.argument, partition.operands.data(), partition.operands.size());
  std::erase_if(partition.operands, [](const Footprint& each) { return each.length == 0; });
  if (task.tiling->row_groups != nullptr && partition.is_possible()) {
    task.tiling->row_groups(task.argument, &partition.row_group, &partition.min_row_groups);
  }
  if (!rows_are_apart(partition)) {
    const int64_t units = std::max<int64_t>(partition.units, 1);
    for (Footprint& each : partition.operands) {
      const std::byte* const from = std::min(start(each), start(each) + each.step * (units - 1));
      each = {from, 0, std::abs(each.step) * (units - 1) + each.length, each.is_written};
    }
    partition.units = partition.row_group = partition.min_row_groups = 1;
  }
  return partition;
}

bool depend(const Partition& a, const Partition& b) {
  return std::any_of(a.operands.begin(), a.operands.end(), [&](const Footprint& x) {
    return std::any_of(b.operands.begin(), b.operands.end(), [&](const Footprint& y) {
      return one_is_written(x, y) &&
             overlap(x, std::max<int64_t>(a.units, 1), y, std::max<int64_t>(b.units, 1));
    });
  });
}

bool FusionGroup::try_add(size_t task, const Partition& partition) {
  if (members_.size() == kMaxMembers || !partition.is_possible()) return false;
  const int64_t rows = members_.empty() ? partition.units : common_rows(rows_, partition.units);
  if (rows <= 1) return false;
  if (partition.has_row_groups() && has_row_groups() && !fuse_in_row_groups(partition))
    return false;
  if (partition.has_row_groups() && row_group_in_rows(partition, rows) == 0) return false;
  for (const Member& member : members_) {
    if (member.partition.has_row_groups() && row_group_in_rows(member.partition, rows) == 0)
      return false;
    if (!fit_together(member.partition, partition, rows)) return false;
  }
  members_.push_back({task, partition});
  rows_ = rows;
  return true;
}

// Each task has its own row groups: where those are single rows, and it does not want more of
// them than the others do, it can follow them.
bool FusionGroup::fuse_in_row_groups(const Partition& partition) const {
  if (partition.row_group > 1 || row_group() > 1 || partition.min_row_groups > min_row_groups())
    return false;
  int64_t bytes = partition.bytes_for_all();
  for (const Member& member : members_) bytes += member.partition.bytes_for_all();
  return bytes <= kMaxBytesForAll;
}

bool FusionGroup::has_row_groups() const {
  return std::any_of(members_.begin(), members_.end(),
                     [](const Member& member) { return member.partition.has_row_groups(); });
}

template <class Relation>
bool FusionGroup::any_operands(const Partition& partition, const Relation& relation) const {
  return std::any_of(members_.begin(), members_.end(), [&](const Member& member) {
    return std::any_of(
        partition.operands.begin(), partition.operands.end(), [&](const Footprint& x) {
          return std::any_of(member.partition.operands.begin(), member.partition.operands.end(),
                             [&](const Footprint& y) { return relation(x, y); });
        });
  });
}

bool FusionGroup::is_producer_of(const Partition& partition) const {
  return any_operands(partition, [](const Footprint& x, const Footprint& y) {
    return x.address == y.address && one_is_written(x, y);
  });
}

bool FusionGroup::shares_with(const Partition& partition) const {
  return any_operands(
      partition, [](const Footprint& x, const Footprint& y) { return x.address == y.address; });
}

bool FusionGroup::depends_on(const Partition& partition) const {
  return std::any_of(members_.begin(), members_.end(),
                     [&](const Member& member) { return depend(member.partition, partition); });
}

int64_t FusionGroup::row_group() const {
  for (const Member& member : members_) {
    if (member.partition.has_row_groups()) return row_group_in_rows(member.partition, rows_);
  }
  return 1;
}

int64_t FusionGroup::min_row_groups() const {
  int64_t most = 1;
  for (const Member& member : members_) most = std::max(most, member.partition.min_row_groups);
  return most;
}

int64_t FusionGroup::bytes_of_row() const {
  std::vector<const void*> seen;
  int64_t bytes = 0;
  for (const Member& member : members_) {
    for (const Footprint& each : member.partition.by_rows(rows_)) {
      if (std::find(seen.begin(), seen.end(), each.address) != seen.end()) continue;
      seen.push_back(each.address);
      if (each.step > 0) bytes += each.length;
    }
  }
  return std::max<int64_t>(bytes, 1);
}

bool FusionGroup::is_read_after(size_t member) const {
  for (size_t later = member + 1; later < members_.size(); ++later) {
    for (const Footprint& read : members_[later].partition.operands) {
      if (read.is_written != 0) continue;
      for (const Footprint& written : members_[member].partition.operands) {
        if (written.is_written != 0 && written.address == read.address) return true;
      }
    }
  }
  return false;
}

}  // namespace aclgrad::runtime
