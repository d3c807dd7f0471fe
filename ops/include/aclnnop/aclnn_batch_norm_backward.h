/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradients of batch normalization.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Of aclnnBatchNorm, with x = (input - m) / sqrt(v + eps) and n elements in a channel: gradBias =
 * sum(gradOut), gradWeight = sum(gradOut * x); gradInput = weight / sqrt(v + eps) * (gradOut -
 * sum(gradOut) / n - x * sum(gradOut * x) / n) in training, with m and v from saveMean and
 * saveInvstd as the forward has written them on the same product; gradOut * weight / sqrt(v + eps)
 * otherwise, with m and v from runningMean and runningVar (0 and 1, where they are null). In
 * training 1 / sqrt(v + eps) counts as 0 where v + eps is 0. outputMask says which of the three are
 * written, in the order of the parameters; the others may be null, and so may weight (1).
 *
 * Data types: FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950; gradOut has input's, the others
 * any. The computation runs in DOUBLE and rounds once. Limits: outputMask has 3 values; formats,
 * as in the forward; rank 2 to 8. An empty input succeeds behind the checks for null; nothing is
 * written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnBatchNormBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclTensor* input, const aclTensor* weight,
    const aclTensor* runningMean, const aclTensor* runningVar, const aclTensor* saveMean,
    const aclTensor* saveInvstd, bool training, double eps, const aclBoolArray* outputMask,
    aclTensor* gradInput, aclTensor* gradWeight, aclTensor* gradBias, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnBatchNormBackward(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor,
                                                       const aclrtStream stream);

ACLGRAD_END_DECLS
