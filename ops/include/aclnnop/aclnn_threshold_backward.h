/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The derivative of ReLU, by its input or its result, and of thresholds in general.
 *
 *   out = gradOutput for self > threshold, 0 otherwise
 *
 * NaN in self stays; NaN in gradOutput counts only above the threshold.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradOutput  FLOAT, FLOAT16, INT8, UINT8, INT32; BF16 (Ascend910B, Ascend910_93, Ascend950);
 *             INT64 on Ascend950 with a threshold of 0; rank 0 to 8
 * self        dtype of gradOutput; the shapes broadcast
 * threshold   read as FLOAT; of at most 2^-23 it counts as 0
 * out         dtype of gradOutput, the broadcast shape; may be either
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnThresholdBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclScalar* threshold, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnThresholdBackward(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor,
                                                       const aclrtStream stream);

ACLGRAD_END_DECLS
