/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The derivative of SELU, written in the forward's output y.
 *
 *   gradInput = gradOutput * (y + lambda * alpha)     y < 0
 *               gradOutput * lambda                   y >= 0
 *
 * with alpha = 1.6732632423543772848 and lambda = 1.0507009873554804934. This is lambda * alpha *
 * e^x for x < 0: the derivative of what aclnnSelu computes, factor lambda included. NaN in y gives
 * NaN. Integers take the exact value, cut off towards zero and held to the type's range.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradOutput  FLOAT, FLOAT16, INT32, INT8, BF16 (Ascend910B, Ascend910_93, Ascend950); any rank
 * result      the forward's output y; dtype and shape of gradOutput
 * gradInput   dtype and shape of gradOutput; may be gradOutput or result
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSeluBackwardGetWorkspaceSize(const aclTensor* gradOutput,
                                                                  const aclTensor* result,
                                                                  aclTensor* gradInput,
                                                                  uint64_t* workspaceSize,
                                                                  aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSeluBackward(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
