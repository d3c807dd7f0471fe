/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gradient of aclnnCdist for x1. That for x2 is this function with x1 and x2 exchanged, and
 * grad and cdist transposed.
 *
 * No output may overlap an input. Sums as in aclnn_cdist.h, in the order of the rows of x2.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3 and 950; all tensors have one.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradX1[.., i, m] = sum over j of grad[.., i, j] * slope, with d = x1[.., i, m] - x2[.., j, m] and
 * e = cdist[.., i, j] out of aclnnCdist: sign(d) for p = 1, d / e for p = 2, sign(d) (|d| / e)^(p -
 * 1) for other p, sign(d) where |d| = e for p = infinity, which p = -1 stands for, too. 0 for p =
 * 0, where e = 0 (but for p = 1), and where d = 0. grad and cdist have the size of out of
 * aclnnCdist, gradX1 that of x1 with the dimensions before the last two broadcast. Without rows of
 * x2 it is 0.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnCdistBackwardGetWorkspaceSize(
    const aclTensor* grad, const aclTensor* x1, const aclTensor* x2, const aclTensor* cdist,
    float p, aclTensor* gradX1, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnCdistBackward(void* workspace, uint64_t workspaceSize,
                                                   aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
