/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Product of two matrices, either of which may be transposed, added to a matrix.
 *
 * cubeMathType is that of aclnnMm (aclnn_mm.h): 2 rounds FLOAT inputs to FLOAT16, others from 0 to
 * 4 change nothing here; not looked at for DOUBLE and integers but for its range. On Atlas 910 and
 * 310P, FLOAT with 0 or 3 gives 161002.
 *
 * No output may overlap an input, but out may be C.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = alpha * op(A) @ op(B) + beta * C with op(A) [M,K], op(B) [K,N], out [M,N]; op(X) is X where
 * trans is 0, and its transpose where that is 1. C is of rank 1 or 2 and broadcasts to out. Data
 * types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3 and 950; of all tensors the same. 16-bit
 * products accumulate in FLOAT and are rounded once. With a beta of 0 (below FLOAT's epsilon) C is
 * not read, and may have any shape; with an alpha of 0 the product is not computed. K = 0 gives
 * beta * C; an empty out: success, nothing is written. Limits: A, B and out of rank 2; transA and
 * transB 0 or 1.
 */
ACL_FUNC_VISIBILITY aclnnStatus
aclnnGemmGetWorkspaceSize(const aclTensor* A, const aclTensor* B, const aclTensor* C, float alpha,
                          float beta, int64_t transA, int64_t transB, aclTensor* out,
                          int8_t cubeMathType, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGemm(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
