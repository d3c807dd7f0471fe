// SPDX-License-Identifier: Apache-2.0
// What is measured: operators with their shapes, and the cells of the measurement made of them.
#ifndef ACLGRAD_BENCH_KERNELS_OPERATION_H_
#define ACLGRAD_BENCH_KERNELS_OPERATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "acl/acl_base.h"

namespace aclgrad::bench {

// Stand in a shape for the sizes of a cell: rows, columns, half the columns, and the inner size of
// a matrix product.
inline constexpr int64_t kRows = -1;
inline constexpr int64_t kColumns = -2;
inline constexpr int64_t kHalf = -3;
inline constexpr int64_t kInner = -4;

enum class Fill {
  normal,     // normal(0, 1)
  wide,       // uniform in [-10, 10]
  elu,        // ELU of normal(0, 1), within the range of SELU's and ELU's results
  log_share,  // -|normal(0, 1)| - 1, as a logarithm of a probability
  positive,   // |normal(0, 1)| + 0.25
  index,      // whole numbers from 0 to 7
};

struct Operand {
  std::vector<int64_t> shape = {kRows, kColumns};
  Fill fill = Fill::normal;
  std::optional<aclDataType> dtype = std::nullopt;  // when it is not the cell's
  std::optional<size_t> aliases = std::nullopt;     // an output that is this input
  bool transposed = false;                          // a matrix stored column by column
  bool unread = false;                              // see View
};

enum class Group { elu, gelu, geglu, other, optimizer, training, matmul };

struct Operation {
  std::string name;
  std::string row;  // of tests/cases, with its attributes
  Group group;
  std::vector<Operand> inputs;
  std::vector<Operand> outputs;
  std::optional<size_t> broadcast = std::nullopt;  // the input that may be one row for all rows
  std::vector<aclDataType> dtypes = {ACL_FLOAT, ACL_BF16, ACL_FLOAT16};
  std::vector<std::vector<int64_t>> sizes = {};  // rows, columns, inner; empty: the usual ones
  bool streams = true;                           // see Problem

  // Whether it is measured in every size and layout, and must be as fast as the memory.
  bool elementwise() const { return group < Group::optimizer; }
};

const std::vector<Operation>& operations();

enum class Layout { contiguous, strided, transposed, row_broadcast };

struct Cell {
  const Operation* operation;
  aclDataType dtype;
  std::vector<int64_t> size;
  Layout layout;
  bool wide;  // wide data instead of normal
  int threads;

  int64_t elements() const;  // of the largest tensor; multiplications of a matrix product
  std::string size_name() const;
  std::string name() const;
};

const char* name_of(aclDataType dtype);
const char* name_of(Layout layout);

// Which part of all cells is wanted. Empty lists stand for everything.
struct Selection {
  std::vector<std::string> words = {};  // cells whose name contains one of them
  std::vector<int64_t> elements = {};   // sizes of the elementwise operations
  std::vector<int> threads = {};
  bool smallest = false;  // of the sizes that an operation lists itself, only the first
};

std::vector<Cell> select_cells(const Selection& selection);

}  // namespace aclgrad::bench

#endif  // ACLGRAD_BENCH_KERNELS_OPERATION_H_
