// SPDX-License-Identifier: Apache-2.0
// The row-wise engine: operators that reduce along the rows of tensors and then map them. It owns
// strides, conversion between dtypes, threads over rows and fused tasks (Tiling), so that a kernel
// sees a few dense rows of one dtype at a time and may pass over them any number of times.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

// Dense rows, `stride` elements from one to the next.
struct RowPlace {
  void* data;
  int64_t stride;
};

// What a kernel works on: `count` rows of `length` elements of one dtype: FLOAT, FLOAT16, BF16 or
// DOUBLE. Outputs may lie where inputs do.
struct RowBlock {
  static constexpr size_t kMaxOperands = 4;

  aclDataType dtype;
  size_t count;
  size_t length;
  std::array<RowPlace, kMaxOperands> rows = {};
  // A vector for all rows, or a number for each; null where the operand is absent.
  std::array<double*, kMaxOperands> numbers = {};
};

// Elements of rows that kernels work on at a time, unless a single row has more.
inline constexpr size_t kNearElements = size_t{1} << 15;

using RowKernel = std::function<void(const RowBlock&)>;

// A tensor of the operation. The kernel finds the tensors of rows in `rows`, the others in
// `numbers`, both in the order in which they are listed.
struct RowOperand {
  enum class Kind {
    kRows,    // of the common shape
    kShared,  // as many elements as a row, the same for all rows
    kPerRow,  // an element for each row
  };

  Kind kind;
  std::optional<size_t> parameter;  // none: absent
  bool is_written = false;
  std::optional<aclDataType> intermediate_dtype =
      std::nullopt;  // an input is rounded to this dtype
};

inline RowOperand rows_in(size_t parameter) { return {RowOperand::Kind::kRows, parameter}; }
inline RowOperand rows_out(size_t parameter) { return {RowOperand::Kind::kRows, parameter, true}; }

// Rows stretch over dimensions [first, first + count) of the tensors of rows; a 0-d tensor is a row
// of one element. Rows of another dtype than their fellows are converted on their way to the kernel
// and back. At least one row, and one element in it.
Plan plan_rows(const Arguments& arguments, size_t first, size_t count,
               std::vector<RowOperand> operands, RowKernel kernel);

}  // namespace aclgrad::ops
