// SPDX-License-Identifier: Apache-2.0
// The elementwise engine: it owns strides, broadcasting, dimension collapsing, blocking, conversion
// between dtypes and threading, so that a kernel is only its formula over dense blocks.
//
// A kernel computes in one of three types, whatever the tensors' dtypes are: double (real numbers;
// the result is rounded once to the output's dtype), int64_t (integers that must wrap or stay
// exact) or std::complex<double>. Beside double it may have a second body, in float, for tensors
// that are all FLOAT, all FLOAT16 or all BF16, which works on elements of this native dtype.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "ops/engine/iterate.h"

namespace aclgrad::ops {

// in[k] and out[k] are dense blocks of the k-th input and output, at most kBlock elements; an
// output block never overlaps an input block. Buffers hold a whole block, 64-byte aligned; beyond
// `count` they hold zeros (or earlier numbers), so a kernel may work in whole vectors up to the
// block's end.
template <class T>
using BlockKernel = std::function<void(const T* const* in, T* const* out, size_t count)>;
using RealKernel = BlockKernel<double>;
using IntegerKernel = BlockKernel<int64_t>;
using ComplexKernel = BlockKernel<std::complex<double>>;

// Dense rows of elements of one native dtype: FLOAT, FLOAT16 or BF16. A condition has bytes.
struct NativeBlock {
  aclDataType dtype;
  const void* const* in;  // the first row
  void* const* out;       // each row is one of the inputs' or overlaps none
  size_t count;           // elements of a row
  // Outputs may be written by streaming (non-temporal) stores, as they are too large for the
  // caches. The caller waits for these stores before it reports that the work is done.
  bool streaming = false;
  size_t rows = 1;
  const int64_t* in_strides = nullptr;  // from row to row, in bytes
  const int64_t* out_strides = nullptr;
};
using NativeKernel = std::function<void(const NativeBlock&)>;

// For a kernel with kIn inputs and kOut outputs that knows blocks of one row only.
template <size_t kIn, size_t kOut, class RowKernel>
NativeKernel row_by_row(const RowKernel& kernel) {
  return [kernel](const NativeBlock& block) {
    std::array<const void*, kIn> in;
    std::array<void*, kOut> out;
    for (size_t row = 0; row < block.rows; ++row) {
      const auto number = static_cast<int64_t>(row);
      for (size_t k = 0; k < kIn; ++k) {
        in[k] = static_cast<const std::byte*>(block.in[k]) +
                (row == 0 ? 0 : number * block.in_strides[k]);
      }
      for (size_t k = 0; k < kOut; ++k) {
        out[k] =
            static_cast<std::byte*>(block.out[k]) + (row == 0 ? 0 : number * block.out_strides[k]);
      }
      kernel(NativeBlock{block.dtype, in.data(), out.data(), block.count, block.streaming});
    }
  };
}

// A formula of floating dtypes twice: exact, for any mix of them, and fast, for one dtype.
struct FloatKernel {
  RealKernel exact;
  NativeKernel native;
  // The input that is BOOL or UINT8 where the others are of the native dtype, if any.
  std::optional<size_t> condition = std::nullopt;
};

using Kernel = std::variant<RealKernel, IntegerKernel, ComplexKernel, FloatKernel>;

// A tensor parameter as the engine walks it, over the common shape of the whole operation.
struct Operand {
  size_t parameter;  // whose address a run brings
  aclDataType dtype;
  Dims strides;        // in elements, one per dimension of the common shape; 0 = broadcast
  int64_t offset = 0;  // in elements, on top of the parameter's own offset (a half of GEGLU)
  // Values are rounded to this dtype on their way: outputs before they are converted to `dtype`,
  // inputs after they are read. `dtype` where there is no such rounding.
  aclDataType intermediate_dtype;
};

// The tensor parameter broadcast to `shape`.
Operand operand(const Arguments& arguments, size_t parameter, const Dims& shape);

// A planned elementwise operation. Cheap to copy into a Body.
class Elementwise {
 public:
  // Outputs may be exactly an input (same address and layout); any other overlap is undefined.
  Elementwise(const Dims& shape, std::vector<Operand> outputs, std::vector<Operand> inputs,
              Kernel kernel);

  aclError operator()(const Run& run) const;

  // The plan that runs this.
  Plan plan() const& { return plan_; }
  Plan plan() && { return std::move(plan_); }

 private:
  Plan plan_;
};

// The common case: every input broadcasts to the shape of the first output. A plan with nothing to
// do when that shape is empty.
Plan elementwise(const Arguments& arguments, std::initializer_list<size_t> outputs,
                 std::initializer_list<size_t> inputs, Kernel kernel);

}  // namespace aclgrad::ops
