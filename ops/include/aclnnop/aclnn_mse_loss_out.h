/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mean squared error over the first dimension.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * As aclnnMseLoss in aclnnop/aclnn_mse_loss.h, but mean (1) and sum (2) are over the first
 * dimension of the broadcast alone: out has the shape of the others, [3, 4] for inputs of [2, 3,
 * 4], and rank 0 only for inputs of rank 0 or 1. A first dimension of size 0: the mean is NaN, the
 * sum 0.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMseLossOutGetWorkspaceSize(const aclTensor* self,
                                                                const aclTensor* target,
                                                                int64_t reduction, aclTensor* out,
                                                                uint64_t* workspaceSize,
                                                                aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMseLossOut(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
