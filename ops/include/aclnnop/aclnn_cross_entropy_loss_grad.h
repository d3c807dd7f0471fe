/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient of the cross entropy of softmax and classes.
 *
 * Data types: FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950; all tensors but target and weight
 * have one. weight: FLOAT. target: INT64, INT32. Computed in DOUBLE with sums in a fixed order, and
 * rounded once: the same bits with any number of threads.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * logProb [N, C] is that of aclnnCrossEntropyLoss. target [N] has a class in [0, C) for each row,
 * or ignoreIndex; another number ends the task with an error, which the next synchronisation of the
 * stream returns, and a message that names the row and the class; nothing is written then. weight
 * is [C], or null for ones. reduction is "mean", "sum" or "none". labelSmoothing is within [0, 1].
 *
 * With q[n, c] = s / C * w[c], and (1 - s) * w[t] more at the target, for w, t and s as there:
 * xGrad[n, c] = g[n] * (e^logProb[n, c] * sum over k of q[n, k] - q[n, c]), 0 in rows whose target
 * is ignored; g = gradLoss ("none", "sum"), gradLoss / sum over n of w[t] without the ignored
 * ("mean"). gradLoss is [N] for "none", else one element of rank 0 or 1; xGrad has the size of
 * logProb.
 *
 * zloss is not supported: lseSquareScaleForZloss must be 0; gradZloss and lseForZloss may be null
 * or of any size and one of these data types, and are not read. An empty logProb: success, nothing
 * is written. Limits: logProb of rank 2; C not 0 when there are rows.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnCrossEntropyLossGradGetWorkspaceSize(
    const aclTensor* gradLoss, const aclTensor* logProb, const aclTensor* target,
    const aclTensor* weight, const aclTensor* gradZloss, const aclTensor* lseForZloss,
    char* reduction, int64_t ignoreIndex, double labelSmoothing, double lseSquareScaleForZloss,
    aclTensor* xGrad, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnCrossEntropyLossGrad(void* workspace, uint64_t workspaceSize,
                                                          aclOpExecutor* executor,
                                                          aclrtStream stream);

ACLGRAD_END_DECLS
