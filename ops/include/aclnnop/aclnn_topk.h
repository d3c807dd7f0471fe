/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The k largest or smallest elements along a dimension.
 *
 * No output may overlap an input unless its comment says otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * valuesOut = the k largest (without largest: smallest) elements of self along dimension dim, in
 * order; indicesOut = their places along dim. Of equal elements the first comes first, and a NaN
 * counts as the largest; without sorted the order is free, and the same here. Both outputs have k
 * elements along dim, 0 <= k <= self's size, and self's size otherwise. Data types: FLOAT,
 * FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, and BF16 on Atlas A2, A3 and 950; valuesOut
 * has self's, indicesOut is INT64. An empty self or k = 0: success, nothing is written. Limits:
 * dim in [-n, n-1] (n = 1 for 0-d); ranks at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnTopkGetWorkspaceSize(
    const aclTensor* self, int64_t k, int64_t dim, bool largest, bool sorted, aclTensor* valuesOut,
    aclTensor* indicesOut, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnTopk(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, const aclrtStream stream);

ACLGRAD_END_DECLS
