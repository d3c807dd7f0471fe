/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PReLU, with slopes that are trained.
 *
 *   out = self            self > 0
 *         weight * self   otherwise, NaN too
 *
 * weight is one number for all, or one for each index of dimension 1.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * weight      as many elements as dimension 1 of self has (1 for ranks 0 and 1), or one; rank 0 or
 *             1, or that of self with every dimension but 1 of size 1; dtype of self
 * out         dtype and shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnPreluGetWorkspaceSize(const aclTensor* self,
                                                           const aclTensor* weight, aclTensor* out,
                                                           uint64_t* workspaceSize,
                                                           aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnPrelu(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
