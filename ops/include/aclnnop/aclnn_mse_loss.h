/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mean squared error.
 *
 * Data types: FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950. The computation runs in DOUBLE with
 * sums in a fixed order, and rounds once. reduction: 0 none, 1 mean, 2 sum.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * (self - target)^2 over the broadcast of both shapes: each value (reduction 0, out of that
 * shape), their mean (1) or their sum (2), both with an out of rank 0 (a [1] is refused). self and
 * target may differ in dtype; the result is converted to out's. An empty broadcast: none writes
 * nothing, the mean is NaN, the sum 0. Limits: ranks at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMseLossGetWorkspaceSize(const aclTensor* self,
                                                             const aclTensor* target,
                                                             int64_t reduction, aclTensor* out,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMseLoss(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
