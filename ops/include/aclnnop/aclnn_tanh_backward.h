/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The derivative of tanh, by the forward's output y.
 *
 *   gradInput = gradOutput * (1 - y^2)
 *
 * NaN in either gives NaN.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradOutput  FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * output      y, the result of the forward; dtype of gradOutput; the shapes broadcast
 * gradInput   dtype of gradOutput, the broadcast shape; may be either
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnTanhBackwardGetWorkspaceSize(const aclTensor* gradOutput,
                                                                  const aclTensor* output,
                                                                  aclTensor* gradInput,
                                                                  uint64_t* workspaceSize,
                                                                  aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnTanhBackward(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor,
                                                  const aclrtStream stream);

ACLGRAD_END_DECLS
