/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diagonals of matrices.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Of a vector [N], out = the square matrix with it on the diagonal and 0 elsewhere, of N +
 * |diagonal| rows; of a matrix, out = the elements of that diagonal. diagonal 0 is the main one,
 * positive ones are above it. Elements are copied. Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16,
 * INT32, INT64, UINT8, UINT16, UINT32, UINT64, BOOL, COMPLEX64, COMPLEX128, and BF16 on Atlas A2,
 * A3 and 950; of both tensors the same. An empty out: success, nothing is written. Limits: self of
 * rank 1 or 2.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnDiagGetWorkspaceSize(const aclTensor* self, int64_t diagonal,
                                                          aclTensor* out, uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnDiag(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
