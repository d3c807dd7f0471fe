/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The derivative of SwiGlu. With x = [A, B] along `dim` and s = 1 / (1 + e^-A):
 *
 *   xGrad = [yGrad * B * s * (1 + A * (1 - s)), yGrad * A * s]
 *
 * At the infinities of A the first slope is 0 and 1.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * yGrad       dtype of x; its shape with the size along dim halved
 * x           the forward's input; FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93,
 *             Ascend950); rank 1 to 8, an even size along dim
 * dim         -n to n-1 for rank n
 * xGrad       dtype and shape of x; no other tensor
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSwiGluGradGetWorkspaceSize(const aclTensor* yGrad,
                                                                const aclTensor* x, int64_t dim,
                                                                aclTensor* xGrad,
                                                                uint64_t* workspaceSize,
                                                                aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSwiGluGrad(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
