// SPDX-License-Identifier: Apache-2.0
// What a task touches and how it can be cut, and which tasks can be cut together.
//
// Such tasks are brought to common rows: a task of many units has several of them in a row. A row
// of one task may touch nothing that another row of another task writes, so each thread can take
// rows of its own through all of them, in the order of the tasks.
#ifndef ACLGRAD_OPS_RUNTIME_CUT_H_
#define ACLGRAD_OPS_RUNTIME_CUT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ops/runtime/stream.h"

namespace aclgrad::runtime {

struct Cut {
  using Operand = aclgradSweepOperand;

  int64_t units = 0;         // at most 1: the task cannot be cut
  int64_t line = 1;          // units that stand side by side; at most 1 where they do not
  int64_t fewest_lines = 1;  // worth a part
  std::vector<Operand> operands;

  bool is_possible() const { return units > 1; }
  bool has_lines() const { return line > 1 || fewest_lines > 1; }
  // The operands by rows of several units.
  std::vector<Operand> by_rows(int64_t rows) const;
  // Bytes that every unit touches.
  int64_t bytes_for_all() const;
  // Bytes that the task touches. Each operand counts.
  int64_t bytes() const;
};

// Nothing where the task does not tell what it touches, or does more than touch it.
std::optional<Cut> cut_of(const Task& task);

// Whether tasks may not change places: one writes what the other touches.
bool depend(const Cut& a, const Cut& b);

// Tasks that may be cut together.
class Group {
 public:
  // False, and nothing has changed, when the task does not fit the others.
  bool try_add(size_t task, const Cut& cut);

  size_t size() const { return members_.size(); }
  bool has_lines() const;
  // Whether a member touches the same memory from the same address on, and one of them writes it.
  bool hands_on(const Cut& cut) const;
  // The same, whoever writes.
  bool shares_with(const Cut& cut) const;
  bool depends_on(const Cut& cut) const;

  struct Member {
    size_t task;
    Cut cut;
  };
  const std::vector<Member>& members() const { return members_; }

  int64_t rows() const { return rows_; }
  // Rows that stand side by side; 1 where they do not.
  int64_t line() const;
  // Lines that are worth a part.
  int64_t fewest_lines() const;
  // Bytes that a row touches. Each piece of memory counts once.
  int64_t bytes_of_row() const;
  // Whether a later member reads what this one writes.
  bool is_read_after(size_t member) const;

 private:
  bool go_together_in_lines(const Cut& cut) const;
  template <class Relation>
  bool any_operands(const Cut& cut, const Relation& relation) const;

  std::vector<Member> members_;
  int64_t rows_ = 0;
};

}  // namespace aclgrad::runtime

#endif  // ACLGRAD_OPS_RUNTIME_CUT_H_
