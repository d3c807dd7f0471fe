/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient of the negative log likelihood loss.
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
 * out[n, target[n]] = -w[n] * g with g = gradOutput[n] (reduction 0), gradOutput / totalWeight
 * (1), gradOutput (2) and w as in aclnnNLLLoss; all other elements are 0. totalWeight is the
 * forward's totalWeightOut. weight, gradOutput and totalWeight have self's dtype, which must
 * convert to out's; out has self's shape; gradOutput is [N] for reduction 0 and a 2-D self, else
 * one element of rank 0 or 1; totalWeight is one element. Limits: C not 0 when there are targets.
 * An empty self: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnNLLLossBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target,
    const aclTensor* weight, int64_t reduction, int64_t ignoreIndex, const aclTensor* totalWeight,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnNLLLossBackward(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
