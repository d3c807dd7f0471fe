/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The derivative of LogSigmoid: gradInput = gradOutput / (1 + e^x).
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradOutput  FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * self        the forward's input x; dtype and shape of gradOutput
 * buffer      the forward's, dtype of gradOutput, of any shape, not null; not read
 * gradInput   dtype and shape of gradOutput; may be gradOutput or self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLogSigmoidBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* buffer,
    aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLogSigmoidBackward(void* workspace, uint64_t workspaceSize,
                                                        aclOpExecutor* executor,
                                                        aclrtStream stream);

ACLGRAD_END_DECLS
