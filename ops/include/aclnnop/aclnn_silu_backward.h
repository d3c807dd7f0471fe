/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The derivative of SiLU: with s = 1 / (1 + e^-x),
 *
 *   gradInput = gradOutput * s * (1 + x * (1 - s))
 *
 * NaN in x gives NaN; at the infinities the factor is its limit, 0 and 1.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradOutput  FLOAT, FLOAT16, BF16; rank 0 to 8
 * self        the forward's input x; dtype and shape of gradOutput. On Ascend950 both may differ:
 *             each dtype from the list, shapes that broadcast
 * gradInput   dtype and shape of the two; may be either. On Ascend950 FLOAT where their dtypes
 *             differ, and the shape to which theirs broadcast
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSiluBackwardGetWorkspaceSize(const aclTensor* gradOutput,
                                                                  const aclTensor* self,
                                                                  aclTensor* gradInput,
                                                                  uint64_t* workspaceSize,
                                                                  aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSiluBackward(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
