// SPDX-License-Identifier: Apache-2.0
// Log-softmax of dense rows as they lie in memory, in double, every result rounded once. The dtypes
// are FLOAT, FLOAT16, BF16 and DOUBLE; sums follow tree_sum.h. Exponentials are good to 2^-40 (in
// DOUBLE to 2^-49, unless the results will be rounded to fewer digits, whose bits must not depend
// on how rows lie). Results may lie where arguments do.
#ifndef ACLGRAD_OPS_KERNELS_LOG_SOFTMAX_ROWS_H_
#define ACLGRAD_OPS_KERNELS_LOG_SOFTMAX_ROWS_H_

#include "acl/acl_base.h"

namespace aclgrad::ops {

// `count` rows of `length` elements, `stride` elements from one row to the next.
struct RowBlock {
  aclDataType dtype;  // of every operand
  size_t count;
  size_t length;
  bool rounded = false;  // results in DOUBLE are on their way to fewer digits
};
struct RowPlace {
  void* data;
  int64_t stride;
};

void log_softmax_rows(const RowBlock& rows, const RowPlace& self, const RowPlace& out);
void log_softmax_backward_rows(const RowBlock& rows, const RowPlace& gradient,
                               const RowPlace& output, const RowPlace& out);

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_KERNELS_LOG_SOFTMAX_ROWS_H_
