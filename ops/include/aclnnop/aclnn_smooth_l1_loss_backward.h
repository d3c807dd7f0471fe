/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gradient of smooth L1 loss with respect to self.
 *
 *   gradInput = gradOut * d / beta for |d| < beta, gradOut * sign(d) otherwise; d = self - target
 *
 * divided by the number of gradInput's elements for a mean. It is 0 for d = 0.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * all         FLOAT, FLOAT16; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * reduction   0 none, 1 mean, 2 sum
 * beta        at least 0
 * gradInput   the shape that the others broadcast to
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSmoothL1LossBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclTensor* self, const aclTensor* target, int64_t reduction,
    float beta, aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSmoothL1LossBackward(void* workspace, uint64_t workspaceSize,
                                                          aclOpExecutor* executor,
                                                          aclrtStream stream);

ACLGRAD_END_DECLS
