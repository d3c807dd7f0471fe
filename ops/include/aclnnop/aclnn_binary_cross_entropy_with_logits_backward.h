/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gradient of binary cross entropy with respect to the logits.
 *
 *   out = gradOutput * weight * ((p t + 1 - t) s - p t), s = 1 / (1 + e^-self), t = target,
 *         p = posWeight
 *
 * divided by the number of self's elements for a mean.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * all         FLOAT, FLOAT16; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * gradOutput  broadcasts to target's shape
 * target      shape of self
 * weightOptional, posWeightOptional
 *             broadcast to target's shape; null for 1
 * reduction   0 none, 1 mean, 2 sum
 * out         dtype and shape of target
 *
 * Where self is empty, shapes are not checked.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnBinaryCrossEntropyWithLogitsBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target,
    const aclTensor* weightOptional, const aclTensor* posWeightOptional, int64_t reduction,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnBinaryCrossEntropyWithLogitsBackward(void* workspace,
                                                                          uint64_t workspaceSize,
                                                                          aclOpExecutor* executor,
                                                                          const aclrtStream stream);

ACLGRAD_END_DECLS
