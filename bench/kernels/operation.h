// SPDX-License-Identifier: Apache-2.0
// What is measured: operators with their shapes, and the cells of the measurement made of them.
#pragma once

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

// What an operand holds when the cell's data is normal.
enum class Fill {
  normal,     // normal(0, 1)
  gradient,   // the same, of a loss with regard to a result
  elu,        // ELU of normal(0, 1), within the range of SELU's and ELU's results
  log_share,  // -|normal(0, 1)| - 1, as a logarithm of a probability
  positive,   // |normal(0, 1)| + 0.25
  index,      // whole numbers from 0 to 7
};

// The kinds of data on which elementwise operators are measured. Operands of Fill::normal have it,
// those of Fill::elu have ELU of it; gradients stay normal but for their own kinds. NaN and
// infinity stand among normal data of every operand.
enum class Data {
  normal,
  wide,         // uniform in [-20, 20]
  deviation_3,  // 3 normal(0, 1)
  deviation_10,
  deviation_100,
  tail,     // uniform in [-40, -3]
  outside,  // the same for operands of Fill::elu too, where it is no result of ELU
  huge,     // from 1000 to the end of the dtype, of either sign
  tiny,     // down to the smallest normal numbers of FLOAT16, or to 1e-30
  subnormal,
  zero,                 // of either sign
  nan,                  // 1 %
  infinity,             // 1 %, of either sign
  gradient_thousandth,  // gradients of 1e-3 normal(0, 1)
  gradient_1e5,         // of 1e-5 normal(0, 1)
};
inline constexpr Data kAllData[] = {Data::normal,        Data::wide,
                                    Data::deviation_3,   Data::deviation_10,
                                    Data::deviation_100, Data::tail,
                                    Data::outside,       Data::huge,
                                    Data::tiny,          Data::subnormal,
                                    Data::zero,          Data::nan,
                                    Data::infinity,      Data::gradient_thousandth,
                                    Data::gradient_1e5};

struct Operand {
  std::vector<int64_t> shape = {kRows, kColumns};
  Fill fill = Fill::normal;
  std::optional<aclDataType> dtype = std::nullopt;  // when it is not the cell's
  std::optional<size_t> aliases = std::nullopt;     // an output that is this input
  bool transposed = false;                          // a matrix stored column by column
  bool unread = false;                              // see View
};

enum class Group { elu, gelu, geglu, other, optimizer, training, network, matmul };

struct Operation {
  std::string name;
  std::string row;  // of tests/cases, with its attributes
  Group group;
  std::vector<Operand> inputs;
  std::vector<Operand> outputs;
  std::optional<size_t> broadcast = std::nullopt;  // the input that may be one row for all rows
  std::vector<aclDataType> dtypes = {ACL_FLOAT, ACL_BF16, ACL_FLOAT16};
  // Rows, columns, inner. None: the usual ones if elementwise(), others on all data only.
  std::vector<std::vector<int64_t>> sizes = {};
  bool streams = true;       // see Problem
  bool on_all_data = false;  // besides elementwise() and the optimizer

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
  int threads;
  Data data = Data::normal;

  int64_t elements() const;  // of the largest tensor; multiplications of a matrix product
  std::string size_name() const;
  std::string name() const;
};

const char* name_of(Group group);
const char* name_of(aclDataType dtype);
const char* name_of(Layout layout);
const char* name_of(Data data);

// Which part of all cells is wanted. Empty lists stand for everything.
struct Selection {
  std::vector<std::string> words = {};  // cells whose name contains one of them
  std::vector<int64_t> elements = {};   // sizes of the elementwise operations
  std::vector<int> threads = {};
  bool smallest = false;  // of the sizes that an operation lists itself, only the first
};

std::vector<Cell> select_cells(const Selection& selection);

// What is measured on all kinds of data: elementwise operators and AdamW, 64K contiguous elements.
// Each with normal data.
std::vector<Cell> data_cells(const Selection& selection);

}  // namespace aclgrad::bench
