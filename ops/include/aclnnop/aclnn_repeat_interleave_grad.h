/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gradient of aclnnRepeatInterleaveWithDim.
 *
 * No output may overlap an input. Sums are computed in double, in the order of gradOut, and rounded
 * once: the same bits with any number of threads.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3 and 950; gradIn has the dtype of
 * gradOut. repeats: INT32, INT64.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Slice k of gradIn along axis is the sum of the repeats[k] slices of gradOut that came from it, 0
 * for no repeats. repeats has one element, which holds for all slices, or as many as gradIn has
 * along axis; no negative one, and their sum is the size of gradOut along axis: the task fails
 * where either is not so, with a message, and nothing is written. gradIn has the size of gradOut
 * but for axis, in [-rank, rank - 1]. gradOut has 1 to 8 dimensions, repeats at most 1.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnRepeatInterleaveGradGetWorkspaceSize(
    const aclTensor* gradOut, const aclTensor* repeats, int64_t axis, aclTensor* gradIn,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnRepeatInterleaveGrad(void* workspace, uint64_t workspaceSize,
                                                          aclOpExecutor* executor,
                                                          aclrtStream stream);

ACLGRAD_END_DECLS
