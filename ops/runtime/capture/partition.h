// SPDX-License-Identifier: Apache-2.0
// The access footprint of a task, how it can be partitioned, and which tasks can be fused.
//
// Such tasks are brought to common rows: a task of many units has several of them in a row. A row
// of one task may touch nothing that another row of another task writes, so each thread can take
// rows of its own through all of them, in the order of the tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ops/runtime/stream/stream.h"

namespace aclgrad::runtime {

struct Partition {
  using Footprint = aclgradFootprint;

  int64_t units = 0;           // at most 1: the task cannot be partitioned
  int64_t row_group = 1;       // units that stand side by side; at most 1 where they do not
  int64_t min_row_groups = 1;  // of a part
  std::vector<Footprint> operands;

  bool is_possible() const { return units > 1; }
  bool has_row_groups() const { return row_group > 1 || min_row_groups > 1; }
  // The operands by rows of several units.
  std::vector<Footprint> by_rows(int64_t rows) const;
  // Bytes that every unit touches.
  int64_t bytes_for_all() const;
  // Bytes that the task touches. Each operand counts.
  int64_t bytes() const;
};

// Nothing where the task does not describe its operands, or has effects beside them.
std::optional<Partition> partition_of(const Task& task);

// Whether tasks may not change places: one writes what the other touches.
bool depend(const Partition& a, const Partition& b);

// Tasks that may be fused.
class FusionGroup {
 public:
  // False, and nothing has changed, when the task does not fit the others.
  bool try_add(size_t task, const Partition& partition);

  size_t size() const { return members_.size(); }
  bool has_row_groups() const;
  // Whether a member and the task are producer and consumer: they touch the same memory from the
  // same address on, and one of them writes it.
  bool is_producer_of(const Partition& partition) const;
  // Whether they touch the same memory from the same address on, whichever of them writes it.
  bool shares_with(const Partition& partition) const;
  bool depends_on(const Partition& partition) const;

  struct Member {
    size_t task;
    Partition partition;
  };
  const std::vector<Member>& members() const { return members_; }

  int64_t rows() const { return rows_; }
  // Rows that stand side by side; 1 where they do not.
  int64_t row_group() const;
  // The smallest number of row groups of a part.
  int64_t min_row_groups() const;
  // Bytes that a row touches. Each chunk of memory counts once.
  int64_t bytes_of_row() const;
  // Whether a later member reads what this one writes.
  bool is_read_after(size_t member) const;

 private:
  bool fuse_in_row_groups(const Partition& partition) const;
  template <class Relation>
  bool any_operands(const Partition& partition, const Relation& relation) const;

  std::vector<Member> members_;
  int64_t rows_ = 0;
};

}  // namespace aclgrad::runtime
