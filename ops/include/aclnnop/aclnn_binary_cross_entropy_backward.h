/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gradient of binary cross entropy with respect to the probabilities.
 *
 *   gradInput = gradOutput * weight * (self - target) / max(self * (1 - self), 1e-12)
 *
 * divided by the number of self's elements for a mean.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradOutput  FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950); broadcasts to the
 *             shape of self
 * self        probabilities; dtype of gradOutput; rank 0 to 8
 * target      dtype and shape of self
 * weight      dtype of self; broadcasts to its shape; null for 1
 * reduction   0 none, 1 mean, 2 sum
 * gradInput   dtype and shape of self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnBinaryCrossEntropyBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target,
    const aclTensor* weight, int64_t reduction, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnBinaryCrossEntropyBackward(void* workspace,
                                                                uint64_t workspaceSize,
                                                                aclOpExecutor* executor,
                                                                aclrtStream stream);

ACLGRAD_END_DECLS
