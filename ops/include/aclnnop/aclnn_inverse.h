/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inverse matrices.
 *
 * out may be self, but may not overlap it otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = the inverse of each matrix [N,N] of self's last two dimensions, by LU decomposition with
 * row exchanges in DOUBLE, rounded once. Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2,
 * A3 and 950; of both tensors the same. A matrix whose elimination meets a column of zeros is
 * singular: the task fails, which the synchronisation of the stream reports. An empty self:
 * success, nothing is written. Limits: ranks from 2 to 8; out has the size of self.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInverseGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInverse(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
