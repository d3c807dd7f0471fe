/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a matrix by their numbers.
 *
 * No output may overlap an input.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64,
 * COMPLEX128, and BF16 on Atlas A2, A3 and 950; out has the dtype of weight. indices: INT32, INT64.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out[.., :] = weight[indices[..], :], for a weight [V, D] and indices of any rank below 8; out has
 * the shape of indices with D behind it. An index that is negative or not less than V ends the task
 * with an error, which the next synchronisation of the stream returns, and a message that names the
 * index; nothing is written then.
 *
 * Limits: ranks: weight 2, others at most 8. An empty out: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnEmbeddingGetWorkspaceSize(const aclTensor* weight,
                                                               const aclTensor* indices,
                                                               const aclTensor* out,
                                                               uint64_t* workspaceSize,
                                                               aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnEmbedding(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, const aclrtStream stream);

ACLGRAD_END_DECLS
