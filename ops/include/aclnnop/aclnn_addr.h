/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outer product of two vectors, added to a matrix.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, and BF16 on Atlas A2,
 * A3 and 950; of all tensors the same. No output may overlap an input, but out may be self.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out[n,m] = beta * self[n,m] + alpha * vec1[n] * vec2[m]; note that beta comes before alpha. self
 * broadcasts to out's [N,M]; vec1 [N], vec2 [M]. beta and alpha are converted to the dtype of the
 * tensors. Real numbers are computed in DOUBLE and rounded once; integers wrap. A beta of 0 means
 * that self is not read. An empty out: success, nothing is written. Limits: beta and alpha not
 * complex.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnAddrGetWorkspaceSize(
    const aclTensor* self, const aclTensor* vec1, const aclTensor* vec2, const aclScalar* beta,
    const aclScalar* alpha, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAddr(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnAddr with the result in selfRef, which is [N,M].
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceAddrGetWorkspaceSize(
    aclTensor* selfRef, const aclTensor* vec1, const aclTensor* vec2, const aclScalar* beta,
    const aclScalar* alpha, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceAddr(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
