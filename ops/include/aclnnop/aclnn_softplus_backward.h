/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The derivative of Softplus.
 *
 *   gradInput = gradOutput                                     beta * self > threshold
 *               gradOutput / (1 + e^-(beta * self))   otherwise
 *
 * NaN in self gives NaN.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradOutput  FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * self        the same, and INT8, INT16, INT32, INT64, UINT8, BOOL; shape of gradOutput
 * beta, threshold
 *             read as FLOAT
 * gradInput   a dtype of gradOutput's list, its shape; may be either. Unequal dtypes are computed
 *             in FLOAT.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSoftplusBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclScalar* beta,
    const aclScalar* threshold, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSoftplusBackward(void* workspace, uint64_t workspaceSize,
                                                      aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
