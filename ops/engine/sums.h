// SPDX-License-Identifier: Apache-2.0
// Sums of real elements as they lie in memory, in the order of tree_sum.h: converted to double in
// vector registers while they are added. The dtypes are FLOAT, FLOAT16, BF16 and DOUBLE.
#pragma once

#include <array>

#include "acl/acl_base.h"
#include "ops/engine/tree_sum.h"

namespace aclgrad::ops {

// The lanes of a sum that is taken in several steps; all but the last step must have a multiple of
// kAccumulators terms.
class RealSum {
 public:
  RealSum() { lanes_.fill(kNothing<double>); }
  // Dense elements.
  void add(const void* terms, aclDataType dtype, size_t count);
  // (a[i] - b[i])^2 of dense elements.
  void add_squared_differences(const void* a, const void* b, aclDataType dtype, size_t count);
  double total() const { return AccumulatorSum<double>::combine(lanes_); }

 private:
  std::array<double, kAccumulators> lanes_;
};

// sums[i] = the sum of the dense `terms` elements, at most kSumChunk, at base + i * stride; if
// there are factors, of their products with them.
void sum_lines(const void* base, aclDataType dtype, int64_t stride, size_t lines, size_t terms,
               double* sums, const double* factors = nullptr);

// sums[j] = the sum of the elements j of dense rows, `stride` elements from one to the next, at
// most kSumChunk; if there are factors, of each row times its factor.
void sum_columns(const void* base, aclDataType dtype, int64_t stride, size_t rows, size_t columns,
                 double* sums, const double* factors = nullptr);

// sums[k] = the sum of chunk k of `terms` dense elements.
void sum_dense_chunks(const void* base, aclDataType dtype, size_t terms, double* sums);

// Sums of up to kColumns neighbouring columns over rows that come one after another.
class ColumnSums {
 public:
  static constexpr size_t kColumns = 512;
  // Accumulators lie a page apart: at other distances their places would look to the processor like
  // those of the rows, most of the time, and reading would wait for writing.
  static constexpr size_t kLaneStride = 512;
  explicit ColumnSums(size_t columns) : columns_(columns) {}
  // Dense rows, `stride` elements from one to the next; each times its factor, if there are any.
  void add(const void* base, aclDataType dtype, int64_t stride, size_t rows,
           const double* factors = nullptr);
  void finish(double* sums);

 private:
  size_t columns_;
  size_t rows_ = 0;
  alignas(64) double lanes_[kAccumulators * kLaneStride];  // a lane not yet used is not initialised
};

}  // namespace aclgrad::ops
