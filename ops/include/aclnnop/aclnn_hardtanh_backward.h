/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The derivative of Hardtanh.
 *
 *   gradInput = gradOutput   minVal < x < maxVal, and where x is NaN
 *               0            otherwise, at the bounds too
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradOutput      FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * self            the forward's input x; dtype and shape of gradOutput
 * minVal, maxVal  of any real dtype; rounded to FLOAT unless self is DOUBLE
 * gradInput       dtype and shape of gradOutput; may be gradOutput or self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnHardtanhBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclScalar* minVal,
    const aclScalar* maxVal, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnHardtanhBackward(void* workspace, uint64_t workspaceSize,
                                                      aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
