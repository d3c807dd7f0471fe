/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SwiGLU: x is split along `dim` into two equal halves A (first) and B (second).
 *
 *   out = A / (1 + e^-A) * B
 *
 * NaN where A is -infinity, as the product.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * x           FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 1 to 8, an
 *             even size along dim
 * dim         -n to n-1 for rank n
 * out         dtype of x; its shape with the size along dim halved
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSwiGluGetWorkspaceSize(const aclTensor* x, int64_t dim,
                                                            aclTensor* out, uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSwiGlu(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
