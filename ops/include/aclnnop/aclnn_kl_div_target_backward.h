/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gradient of KlDiv with respect to target.
 *
 *   gradTarget = gradOutput * (log(target) + 1 - self)               0 for a target of 0
 *                gradOutput * e^target * (target + 1 - self)         logTarget
 *
 * divided by the number of target's elements for a mean. At a target of 0 PyTorch has NaN or
 * -infinity.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradOutput, self, target
 *             promote to FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950);
 *             rank 0 to 8; gradOutput and self broadcast to the shape of target
 * reduction   0 none, 1 mean, 2 sum
 * gradTarget  what they promote to converts to its dtype; shape of target
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnKlDivTargetBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target, int64_t reduction,
    bool logTarget, aclTensor* gradTarget, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnKlDivTargetBackward(void* workspace, uint64_t workspaceSize,
                                                         aclOpExecutor* executor,
                                                         aclrtStream stream);

ACLGRAD_END_DECLS
