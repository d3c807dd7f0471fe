/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Average pooling of images to a given size.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Element i of an axis of out is the average of elements floor(i in / out) to ceil((i + 1) in /
 * out) - 1 of self. self is [C, H, W] of format NCL or [N, C, H, W] of format NCHW. Data types:
 * FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950, equal. Sums are taken in DOUBLE and rounded
 * once. Limits: outputSize: 2 values above 0, the height and width of out. An empty self: success,
 * nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnAdaptiveAvgPool2dGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* outputSize, aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAdaptiveAvgPool2d(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor,
                                                       const aclrtStream stream);

ACLGRAD_END_DECLS
