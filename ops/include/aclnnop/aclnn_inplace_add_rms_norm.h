/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Root-mean-square normalization of a residual sum, in place.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * aclnnAddRmsNorm of x1, x2 and gamma: its yOut in x1, its xOut, the sum, in x2, its rstdOut in
 * rstd. x1 and x2 must not overlap.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceAddRmsNormGetWorkspaceSize(
    aclTensor* x1, aclTensor* x2, const aclTensor* gamma, double epsilon, aclTensor* rstd,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceAddRmsNorm(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
