/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The derivative of FastGelu, with u = 1 / (1 + e^(-1.702 x)):
 *
 *   gradInput = gradOutput * (u + 1.702 * x * u * (1 - u))
 *
 * At the infinities it is 0 and gradOutput.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradOutput  FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * self        the forward's input x; dtype and shape of gradOutput
 * gradInput   dtype and shape of gradOutput; may be gradOutput or self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnFastGeluBackwardGetWorkspaceSize(const aclTensor* gradOutput,
                                                                      const aclTensor* self,
                                                                      aclTensor* gradInput,
                                                                      uint64_t* workspaceSize,
                                                                      aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFastGeluBackward(void* workspace, uint64_t workspaceSize,
                                                      aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
