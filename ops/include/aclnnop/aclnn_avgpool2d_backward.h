/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient of average pooling.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradInput = gradOutput / divisor, added up over the windows of aclnnAvgPool2d that an element is
 * under. self gives the shape only. Data types: FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950.
 * Sums are taken in DOUBLE and rounded once. Limits: formats NCL or NCHW; rank of self 3 or 4;
 * cubeMathType 0 to 3; a window has room. An empty self: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnAvgPool2dBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclIntArray* kernelSize,
    const aclIntArray* stride, const aclIntArray* padding, bool ceilMode, bool countIncludePad,
    int64_t divisorOverride, int8_t cubeMathType, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAvgPool2dBackward(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
