/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Negative log likelihood loss.
 *
 * Data types: FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950. The computation runs in DOUBLE with
 * sums in a fixed order, and rounds once. reduction: 0 none, 1 mean, 2 sum. Targets: INT64, UINT8,
 * INT32, each a class in [0, C) or ignoreIndex. A target that is neither makes the task fail: the
 * next synchronisation returns 507000 with a message that names the operator, the row and the
 * class, and the output is not written.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * With w[n] = weight[target[n]] (0 where target[n] is ignoreIndex) and l[n] = -w[n] * self[n,
 * target[n]], 0 for an infinity or NaN of weight 0: l[n] (reduction 0), sum(l) / sum(w) (1), sum(l)
 * (2). totalWeightOut = sum(w), written only for a reduction other than 0. self is [N,C] with
 * target [N], or [C] with a 0-d target; weight is [C], of self's dtype, and required (all 1 for the
 * plain loss). out is [N] for reduction 0 and a 2-D self, else one element of rank 0 or 1;
 * totalWeightOut is one element. Their dtypes are any that self's converts to. An empty self: none
 * writes nothing, the mean is NaN, the sum 0, totalWeightOut 0. All targets ignored: the mean is
 * NaN. Limits: self's rank 1 or 2; target's rank at most 1; C not 0 when there are targets.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnNLLLossGetWorkspaceSize(
    const aclTensor* self, const aclTensor* target, const aclTensor* weight, int64_t reduction,
    int64_t ignoreIndex, aclTensor* out, aclTensor* totalWeightOut, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnNLLLoss(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
