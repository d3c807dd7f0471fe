/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The logistic loss of scores and targets of 1 and -1.
 *
 *   l = log(1 + e^(-target * self)), finite wherever the exponent is
 *
 * out is l, its mean over all elements, or their sum, computed in DOUBLE and rounded once. Without
 * elements a mean is NaN, a sum 0.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * target      dtype of self; the two broadcast
 * reduction   0 none, 1 mean, 2 sum
 * out         dtype of self; the shape that the two broadcast to for none, else one element
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSoftMarginLossGetWorkspaceSize(
    const aclTensor* self, const aclTensor* target, int64_t reduction, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSoftMarginLoss(void* workspace, uint64_t workspaceSize,
                                                    aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
