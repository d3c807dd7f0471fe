/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The absolute error.
 *
 *   l = |self - target|
 *
 * out is l, its mean over all elements, or their sum, computed in DOUBLE (integers too) and rounded
 * to what self and target promote to. Without elements a mean is NaN, a sum 0.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self, target
 *             promote to FLOAT, FLOAT16, INT64, or BF16 (Ascend910B, Ascend910_93, Ascend950); rank
 * 0 to 8; self is floating for a mean, and for none beside a floating target reduction   0 none, 1
 * mean, 2 sum out         what they promote to converts to its dtype; the shape that they broadcast
 * to for none, else rank 0
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnL1LossGetWorkspaceSize(const aclTensor* self,
                                                            const aclTensor* target,
                                                            int64_t reduction, aclTensor* out,
                                                            uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnL1Loss(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
