/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Product of a matrix and a vector, added to a vector.
 *
 * cubeMathType is that of aclnnMm (aclnn_mm.h): 2 rounds FLOAT inputs to FLOAT16, others from 0 to
 * 4 change nothing here; not looked at for DOUBLE and integers but for its range. On Atlas 910 and
 * 310P, FLOAT with 0 or 3 gives 161002.
 *
 * No output may overlap an input, but out may be self.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out[n] = beta * self[n] + alpha * the sum over m of mat[n,m] * vec[m]; note that alpha comes
 * before beta here. self broadcasts to [N], so that it may be of rank 0 or [1]; mat [N,M], vec [M],
 * out [N]. Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, and BF16 on Atlas
 * A2, A3 and 950; of all tensors the same. alpha and beta are converted to FLOAT, or DOUBLE beside
 * DOUBLE, or cut off to INT64 beside integers, which wrap. A beta of 0 (below FLOAT's epsilon)
 * means that self is not read, an alpha of 0 that the product is not computed. M = 0 gives beta *
 * self; N = 0: success, nothing is written. Limits: alpha and beta not complex.
 */
ACL_FUNC_VISIBILITY aclnnStatus
aclnnAddmvGetWorkspaceSize(const aclTensor* self, const aclTensor* mat, const aclTensor* vec,
                           const aclScalar* alpha, const aclScalar* beta, aclTensor* out,
                           int8_t cubeMathType, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAddmv(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
