/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of the gradients of a part of a batch.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Of aclnnBatchNormElemt, for each channel: sumDy = sum(gradOut) and sumDyXmu = sum(gradOut *
 * (input - mean)), which ranks add up for aclnnBatchNormElemtBackward; gradWeight = sumDyXmu *
 * invstd and gradBias = sum(gradOut) of the part itself. All four are [C]. inputG asks for the
 * first two, weightG for the third, biasG for the fourth; what is not asked for may be null and is
 * not written. weight is not used, and may be null.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, or BF16 on Atlas A2, A3 and 950; gradOut has input's, the
 * others any. The computation runs in DOUBLE and rounds once. Limits: input has rank 2 to 8 and
 * its channels, C, in dimension 1, and no private format. Of an empty input the sums are 0.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnBatchNormReduceBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclTensor* input, const aclTensor* mean,
    const aclTensor* invstd, const aclTensor* weight, bool inputG, bool weightG, bool biasG,
    aclTensor* sumDy, aclTensor* sumDyXmu, aclTensor* gradWeight, aclTensor* gradBias,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnBatchNormReduceBackward(void* workspace,
                                                             uint64_t workspaceSize,
                                                             aclOpExecutor* executor,
                                                             aclrtStream stream);

ACLGRAD_END_DECLS
