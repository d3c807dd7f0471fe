/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Smooth L1 loss, also called Huber's, divided by beta (Girshick 2015).
 *
 *   l = d^2 / (2 beta) for |d| < beta, |d| - beta / 2 otherwise; d = self - target
 *
 * result is l, its mean over all elements, or their sum, computed in DOUBLE and rounded to what
 * self and target promote to. Without elements a mean is NaN, a sum 0.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * all         FLOAT, FLOAT16; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * reduction   0 none, 1 mean, 2 sum
 * beta        at least 0
 * result      the shape that self and target broadcast to for none, else one element
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSmoothL1LossGetWorkspaceSize(
    const aclTensor* self, const aclTensor* target, int64_t reduction, float beta,
    aclTensor* result, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSmoothL1Loss(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
