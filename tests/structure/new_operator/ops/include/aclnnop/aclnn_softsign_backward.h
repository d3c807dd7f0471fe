/* SPDX-License-Identifier: Apache-2.0 */
/* The derivative of softsign: gradInput = gradOutput / (1 + |x|)^2. */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradOutput  FLOAT, FLOAT16; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * self        the forward's input x; dtype and shape of gradOutput
 * gradInput   dtype and shape of the two; may be either
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSoftsignBackwardGetWorkspaceSize(const aclTensor* gradOutput,
                                                                      const aclTensor* self,
                                                                      aclTensor* gradInput,
                                                                      uint64_t* workspaceSize,
                                                                      aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSoftsignBackward(void* workspace, uint64_t workspaceSize,
                                                      aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
