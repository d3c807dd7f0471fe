/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The derivative of Logit. self comes first here.
 *
 *   gradInput = gradOutput / (x (1 - x))   without bounds, NaN outside [0, 1]
 *               0                          eps >= 0 and x < eps or x > 1 - eps
 *
 * The bounds are the forward's: numbers of FLOAT, of DOUBLE for DOUBLE.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        the forward's input x; FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93,
 *             Ascend950); rank 0 to 8
 * gradOutput  dtype and shape of self
 * eps         negative for no bounds
 * gradInput   dtype and shape of self; may be self or gradOutput
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLogitGradGetWorkspaceSize(const aclTensor* self,
                                                               const aclTensor* gradOutput,
                                                               double eps, aclTensor* gradInput,
                                                               uint64_t* workspaceSize,
                                                               aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLogitGrad(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
