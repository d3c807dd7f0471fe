/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gradient of SoftMarginLoss with respect to self.
 *
 *   gradInput = -gradOutput * target / (1 + e^(target * self))
 *
 * divided by the number of gradInput's elements for a mean.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradOutput, self, target
 *             FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950); one dtype; rank 0
 *             to 8; they broadcast
 * reduction   0 none, 1 mean, 2 sum
 * gradInput   dtype of these; the shape that they broadcast to
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSoftMarginLossBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target, int64_t reduction,
    aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSoftMarginLossBackward(void* workspace, uint64_t workspaceSize,
                                                            aclOpExecutor* executor,
                                                            aclrtStream stream);

ACLGRAD_END_DECLS
