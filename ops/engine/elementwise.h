// SPDX-License-Identifier: Apache-2.0
// The elementwise engine: it owns strides, broadcasting, dimension collapsing, blocking, conversion
// between dtypes and threading, so that a kernel is only its formula over dense blocks.
//
// A kernel computes in one of three types, whatever the tensors' dtypes are: double (real numbers;
// the result is rounded once to the output's dtype), int64_t (integers that must wrap or stay
// exact) or std::complex<double>. Beside double it may have a second body, in float, for tensors
// that are all FLOAT, all FLOAT16 or all BF16, which works on elements of this native dtype.
#ifndef ACLGRAD_OPS_ENGINE_ELEMENTWISE_H_
#define ACLGRAD_OPS_ENGINE_ELEMENTWISE_H_

#include <array>
#include <complex>
#include <cstddef>
#include <functional>
#include <variant>
#include <vector>

#include "ops/engine/function_ref.h"
#include "ops/meta/operator.h"

namespace aclgrad::ops {

// Elements per block. Buffers hold a whole block, 64-byte aligned; beyond `count` they hold zeros
// (or earlier results), so a kernel may work in whole vectors up to the block's end.
inline constexpr size_t kBlock = 512;

// in[k] and out[k] are dense blocks of the k-th input and output; an output block never overlaps an
// input block.
template <class T>
using BlockKernel = std::function<void(const T* const* in, T* const* out, size_t count)>;
using RealKernel = BlockKernel<double>;
using IntegerKernel = BlockKernel<int64_t>;
using ComplexKernel = BlockKernel<std::complex<double>>;

// Dense rows of elements of one native dtype: FLOAT, FLOAT16 or BF16.
struct NativeBlock {
  aclDataType dtype;
  const void* const* in;  // the first row
  void* const* out;       // each row is one of the inputs' or overlaps none
  size_t count;           // elements of a row
  // Outputs may be written by streaming (non-temporal) stores, as they are too large for the
  // caches. The caller waits for these stores before it reports that the work is done.
  bool streaming = false;
  size_t rows = 1;
  const int64_t* in_steps = nullptr;  // from row to row, in bytes
  const int64_t* out_steps = nullptr;
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
                (row == 0 ? 0 : number * block.in_steps[k]);
      }
      for (size_t k = 0; k < kOut; ++k) {
        out[k] =
            static_cast<std::byte*>(block.out[k]) + (row == 0 ? 0 : number * block.out_steps[k]);
      }
      kernel(NativeBlock{block.dtype, in.data(), out.data(), block.count, block.streaming});
    }
  };
}

// A formula of floating dtypes twice: exact, for any mix of them, and fast, for one dtype.
struct FloatKernel {
  RealKernel exact;
  NativeKernel native;
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

// What walks over the tensors of a planned operation.
class Loop {
 public:
  virtual ~Loop() = default;
  virtual void run(const Run& run) const = 0;

  // The loop's work as a Tiling, which lives as long as the loop; null where it cannot be tiled.
  virtual const Tiling* tiling() const { return nullptr; }
};

// A planned elementwise operation. Cheap to copy into a Body.
class Elementwise {
 public:
  // Outputs may be exactly an input (same address and layout); any other overlap is undefined.
  Elementwise(const Dims& shape, std::vector<Operand> outputs, std::vector<Operand> inputs,
              Kernel kernel);

  aclError operator()(const Run& run) const;

  // The plan that runs this.
  Plan plan() const;

 private:
  std::shared_ptr<const Loop> loop_;
};

// The common case: every input broadcasts to the shape of the first output. A plan with nothing to
// do when that shape is empty.
Plan elementwise(const Arguments& arguments, std::initializer_list<size_t> outputs,
                 std::initializer_list<size_t> inputs, Kernel kernel);

// Conversion of `count` elements with strides (in elements) between a tensor's dtype and a compute
// type, for kernels that are not elementwise (reductions, losses). Float to integer truncates and
// saturates, NaN becomes 0; integer to integer wraps; to BOOL: non-zero (NaN too) is true.
template <class T>
void load(const void* source, aclDataType dtype, int64_t stride, T* block, size_t count);
template <class T>
void store(const T* block, void* target, aclDataType dtype, int64_t stride, size_t count);

// Runs body(begin, end) over [0, count) in fixed pieces of `grain`, on the threads in force. The
// cut does not depend on the number of threads.
void parallel_pieces(int64_t count, int64_t grain,
                     FunctionRef<void(int64_t begin, int64_t end)> body);

// Runs body(begin, end) over [0, count) in one range for each thread, longer for faster threads.
void parallel_shares(int64_t count, FunctionRef<void(int64_t begin, int64_t end)> body);

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_ENGINE_ELEMENTWISE_H_
