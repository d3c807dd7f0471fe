/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sign and logarithm of determinants.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * signOut = the sign of the determinant, -1, 0 or 1, and logOut = the natural logarithm of its
 * magnitude, of each matrix [N,N] of self's last two dimensions; both have the dimensions before
 * these, and may have one element of any rank for a single matrix. A singular matrix gives 0 and
 * -infinity, one with a NaN NaN. By LU decomposition with row exchanges in DOUBLE, rounded once.
 * Data types: FLOAT and DOUBLE, of all tensors the same. An empty batch: success, nothing is
 * written. Limits: rank from 2 to 8; N above 0 (161002).
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSlogdetGetWorkspaceSize(const aclTensor* self,
                                                             aclTensor* signOut, aclTensor* logOut,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSlogdet(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
