/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gradient of the absolute error with respect to self.
 *
 *   gradInput = gradOutput * sign(self - target)
 *
 * divided by the number of gradInput's elements for a mean. It is 0 where self equals target.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradOutput, self, target
 *             promote to FLOAT, FLOAT16, or BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * reduction   0 none, 1 mean, 2 sum
 * gradInput   what they promote to converts to its dtype; the shape that they broadcast to
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnL1LossBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target, int64_t reduction,
    aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnL1LossBackward(void* workspace, uint64_t workspaceSize,
                                                    aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
