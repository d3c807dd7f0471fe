/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gradient of KlDiv with respect to self.
 *
 *   gradInput = -target * gradOutput      e^target in the place of target for logTarget
 *
 * divided by the number of self's elements for a mean.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradOutput, self, target
 *             promote to FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950);
 *             rank 0 to 8; gradOutput and target broadcast to the shape of self
 * reduction   0 none, 1 mean, 2 sum
 * gradInput   what they promote to converts to its dtype; shape of self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnKlDivBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target, int64_t reduction,
    bool logTarget, aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnKlDivBackward(void* workspace, uint64_t workspaceSize,
                                                   aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
