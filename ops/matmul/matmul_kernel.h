// SPDX-License-Identifier: Apache-2.0
// Matrix products of any layout, dtype and batch. An element's order of addition follows from the
// shape alone, so neither the number of threads nor a layout changes a bit.
#pragma once

#include <optional>

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

// A tensor parameter as a batch of matrices. Strides in elements, 0 where it is broadcast.
struct MatrixView {
  size_t parameter;
  aclDataType dtype;
  int64_t row_stride;
  int64_t column_stride;
  Dims batch_strides;
};

// out[m,n] = alpha * a[m,k] b[k,n] + beta * addend[m,n], for each index of the batch.
struct MatmulProblem {
  Dims batch;
  int64_t m, n, k;
  MatrixView a, b, out;
  std::optional<MatrixView> addend;
  double alpha = 1;
  double beta = 0;
  aclDataType dtype;              // the type that a and b promote to; BF16 where both are
  bool round_to_float16 = false;  // a and b are rounded to FLOAT16 first
  // Whether the processor's own instruction for BFLOAT16 may be used, which adds two terms at a
  // time and gives other bits than other processors; and whether it is.
  bool may_add_pairs = false;
  bool adds_pairs = false;

  // Of the output, or of the addend.
  bool has_dense_rows(const MatrixView& view) const { return view.column_stride == 1 || n == 1; }
};

Plan plan_matmul(const MatmulProblem& problem);

}  // namespace aclgrad::ops
