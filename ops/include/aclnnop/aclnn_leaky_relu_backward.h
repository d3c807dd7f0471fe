/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The derivative of leaky ReLU, by its input or, for a slope that is not negative, its result.
 *
 *   out = gradOutput for self > 0, negativeSlope * gradOutput otherwise
 *
 * NaN in either gives NaN.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradOutput  FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * self        a dtype of the same list; the shapes broadcast
 * negativeSlope
 *             FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL; BF16 (Ascend910B,
 *             Ascend910_93, Ascend950); read as FLOAT
 * out         a dtype of the same list, the broadcast shape; may be either. The common dtype of
 *             gradOutput and self is rounded to first.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLeakyReluBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclScalar* negativeSlope,
    bool selfIsResult, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLeakyReluBackward(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
