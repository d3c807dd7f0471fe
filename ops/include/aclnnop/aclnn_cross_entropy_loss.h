/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cross entropy of softmax and classes.
 *
 * Data types: FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950; all tensors but target and weight
 * have one. weight: FLOAT. target: INT64, INT32. Computed in DOUBLE with sums in a fixed order, and
 * rounded once: the same bits with any number of threads.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * logProb = log_softmax(input) for rows of logits [N, C], and of the size of input. target [N] has
 * a class in [0, C) for each row, or ignoreIndex; another number ends the task with an error, which
 * the next synchronisation of the stream returns, and a message that names the row and the class;
 * nothing is written then. weight is [C], or null for ones. reduction is "mean", "sum" or "none".
 * labelSmoothing is within [0, 1].
 *
 * With w of the weights, t the target and s = labelSmoothing: l[n] = -(1 - s) * w[t] * logProb[n,
 * t] - s / C * sum over c of w[c] * logProb[n, c], 0 where the target is ignored; a weight of 0
 * counts 0 whatever the logarithm. The rounding of logProb has no part in it. loss = l ("none"),
 * sum(l) / sum over n of w[t] without the ignored ("mean"), sum(l) ("sum"): [N], or one element of
 * rank 0 or 1. All targets ignored: the mean is NaN. An empty input: the mean is NaN, the sum 0.
 *
 * zloss is not supported: lseSquareScaleForZloss must be 0 and returnZloss false; zloss and
 * lseForZloss may be null or of any size and one of these data types, and are left alone. Limits:
 * input of rank 2; C not 0 when there are rows.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnCrossEntropyLossGetWorkspaceSize(
    const aclTensor* input, const aclTensor* target, const aclTensor* weight, char* reduction,
    int64_t ignoreIndex, double labelSmoothing, double lseSquareScaleForZloss, bool returnZloss,
    aclTensor* loss, aclTensor* logProb, aclTensor* zloss, aclTensor* lseForZloss,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnCrossEntropyLoss(void* workspace, uint64_t workspaceSize,
                                                      aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
