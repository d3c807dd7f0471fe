/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The derivative of Mish, with t = tanh(log(1 + e^x)):
 *
 *   gradInput = gradOutput * (t + x * (1 - t^2) / (1 + e^-x))
 *
 * NaN at infinities, as the product.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradOutput, self  FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950); they may
 *                   differ, and broadcast; rank 0 to 8
 * gradInput         of the same list of dtypes; the shape that the two broadcast to. Computed in
 *                   the dtype that they promote to
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMishBackwardGetWorkspaceSize(const aclTensor* gradOutput,
                                                                  const aclTensor* self,
                                                                  aclTensor* gradInput,
                                                                  uint64_t* workspaceSize,
                                                                  aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMishBackward(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
