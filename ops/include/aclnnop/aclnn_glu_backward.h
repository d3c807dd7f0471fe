/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The derivative of Glu. With self = [A, B] along `dim` and s = 1 / (1 + e^-B):
 *
 *   gradInput = [gradOutput * s, gradOutput * A * s * (1 - s)]
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradOutput  dtype of self; its shape with the size along dim halved
 * self        the forward's input; FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93,
 *             Ascend950); rank 1 to 8, an even size along dim
 * dim         -n to n-1 for rank n
 * gradInput   dtype and shape of self; no other tensor
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGluBackwardGetWorkspaceSize(const aclTensor* gradOutput,
                                                                 const aclTensor* self, int64_t dim,
                                                                 aclTensor* gradInput,
                                                                 uint64_t* workspaceSize,
                                                                 aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGluBackward(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
