/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gated linear unit: self is split along `dim` into two equal halves A (first) and B (second).
 *
 *   out = A / (1 + e^-B)
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 1 to 8, an
 *             even size along dim
 * dim         -n to n-1 for rank n
 * out         dtype of self; its shape with the size along dim halved
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGluGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                         aclTensor* out, uint64_t* workspaceSize,
                                                         aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGlu(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
