/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Distances between the rows of two matrices.
 *
 * No output may overlap an input. Computed in double, in the order of columns, and rounded once:
 * the same bits with any number of threads.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3 and 950; all tensors have one.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out[.., i, j] = (sum over m of |x1[.., i, m] - x2[.., j, m]|^p)^(1/p) for x1 [.., P, M], x2 [..,
 * R, M], whose dimensions before the last two broadcast; out is [.., P, R]. p >= 0; p = 0 counts
 * the differences that are not 0, p = infinity takes the largest. computeMode, 0, 1 or 2, chooses
 * an algorithm elsewhere: here distances are exact with each. Rows without elements have distances
 * of 0. Ranks 2 to 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnCdistGetWorkspaceSize(const aclTensor* x1, const aclTensor* x2,
                                                           float p, int64_t computeMode,
                                                           aclTensor* out, uint64_t* workspaceSize,
                                                           aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnCdist(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
