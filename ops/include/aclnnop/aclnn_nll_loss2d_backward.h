/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient of the negative log likelihood loss of pictures.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3 and 950; all tensors but target have
 * one. The computation runs in DOUBLE with sums in a fixed order, and rounds once. reduction: 0
 * none, 1 mean, 2 sum. Targets: INT64, UINT8, INT32, each a class in [0, C) or ignoreIndex. A
 * target that is neither makes the task fail: the next synchronisation returns 507000 with a
 * message that names the operator, the row (counted over N, H and W) and the class, and the output
 * is not written.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradInput[n, target[n, h, w], h, w] = -w[n, h, w] * g with g = gradOutput[n, h, w] (reduction 0),
 * gradOutput / totalWeight (1), gradOutput (2) and w as in aclnnNLLLoss2d; all other elements are
 * 0. totalWeight is the forward's, of one element. gradInput has the size of self; gradOutput is
 * [N, H, W] for reduction 0, else one element of rank 0 or 1. Limits: self of rank 4; C not 0 when
 * there are targets. An empty self: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnNLLLoss2dBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target,
    const aclTensor* weight, int64_t reduction, int64_t ignoreIndex, const aclTensor* totalWeight,
    aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnNLLLoss2dBackward(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
