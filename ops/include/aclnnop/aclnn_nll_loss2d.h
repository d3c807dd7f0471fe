/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Negative log likelihood loss of pictures.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3 and 950; self, weight, out and
 * totalWeight have one. The computation runs in DOUBLE with sums in a fixed order, and rounds once.
 * reduction: 0 none, 1 mean, 2 sum. Targets: INT64, UINT8, INT32, each a class in [0, C) or
 * ignoreIndex. A target that is neither makes the task fail: the next synchronisation returns
 * 507000 with a message that names the operator, the row (counted over N, H and W) and the class,
 * and the output is not written.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * With w[n, h, w] = weight[target[n, h, w]] (0 where the target is ignoreIndex) and l[n, h, w] =
 * -w[n, h, w] * self[n, target[n, h, w], h, w], 0 for an infinity or NaN of weight 0: l (reduction
 * 0), sum(l) / sum(w) (1), sum(l) (2). totalWeight = sum(w), 0 for reduction 0. self is [N, C, H,
 * W], target [N, H, W]; weight is [C] and required (all 1 for the plain loss). out is [N, H, W] for
 * reduction 0, else one element of rank 0 or 1; totalWeight is one element. An empty self: none
 * writes nothing, the mean is NaN, the sum 0, totalWeight 0. All targets ignored: the mean is NaN.
 * Limits: self of rank 4; C not 0 when there are targets.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnNLLLoss2dGetWorkspaceSize(
    const aclTensor* self, const aclTensor* target, const aclTensor* weight, int64_t reduction,
    int64_t ignoreIndex, aclTensor* out, aclTensor* totalWeight, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnNLLLoss2d(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
