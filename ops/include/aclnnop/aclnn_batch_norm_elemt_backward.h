/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gradient of a part of a batch by its elements.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradInput = (gradOut - sumDy / n - (input - mean) * invstd^2 * sumDyXmu / n) * invstd * weight
 * for every channel, dimension 1, with sumDy and sumDyXmu over the whole batch
 * (aclnnBatchNormReduceBackward, added up over the ranks) and n = the sum of all elements of
 * counter, the numbers of samples of its parts. That is the gradient of aclnnBatchNorm, of which
 * input is a part. All but gradOut, input and gradInput are [C], counter of any shape; null weight
 * stands for 1.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, or BF16 on Atlas A2, A3 and 950; gradOut and gradInput have
 * input's, the others any; counter may be INT32 or INT64, too. The computation runs in DOUBLE and
 * rounds once. Limits: input has rank 2 to 8 and its channels, C, in dimension 1, and no private
 * format. gradInput must not overlap other tensors. An empty input succeeds.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnBatchNormElemtBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclTensor* input, const aclTensor* mean,
    const aclTensor* invstd, const aclTensor* weight, const aclTensor* sumDy,
    const aclTensor* sumDyXmu, const aclTensor* counter, aclTensor* gradInput,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnBatchNormElemtBackward(void* workspace, uint64_t workspaceSize,
                                                            aclOpExecutor* executor,
                                                            aclrtStream stream);

ACLGRAD_END_DECLS
