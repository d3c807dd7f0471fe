/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The derivatives of PReLU.
 *
 *   gradInput  = gradOutput            x > 0
 *                weight * gradOutput   otherwise
 *   gradWeight = the sum of 0          x > 0
 *                     gradOutput * x   otherwise
 *                over the elements that share a weight; 0 where there are none
 *
 * Sums are in double, the same for every number of threads.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradOutput  dtype and shape of self
 * self        the forward's input x; FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93,
 *             Ascend950); rank 0 to 8
 * weight      as many elements as dimension 1 of self has (1 for ranks 0 and 1), or one; rank 0 or
 *             1, or that of self with every dimension but 1 of size 1; dtype of self
 * gradInput   dtype and shape of self; no other tensor
 * gradWeight  dtype of self; as many elements as weight, of any shape that weight may have; no
 *             other tensor
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnPreluBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* weight,
    aclTensor* gradInput, aclTensor* gradWeight, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnPreluBackward(void* workspace, uint64_t workspaceSize,
                                                   aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
