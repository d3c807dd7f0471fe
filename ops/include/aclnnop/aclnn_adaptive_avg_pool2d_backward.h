/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient of average pooling to a given size.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = gradOutput divided by the number of elements of its window in aclnnAdaptiveAvgPool2d,
 * added up over the windows that an element is under. self gives the shape only. Data types:
 * FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950, equal; out may have another one where
 * gradOutput is a single element for each channel. Sums are taken in DOUBLE and rounded once.
 * Limits: rank of self 3 or 4; formats equal and not private. Empty tensors: success, nothing is
 * written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAdaptiveAvgPool2dBackward(void* workspace,
                                                               uint64_t workspaceSize,
                                                               aclOpExecutor* executor,
                                                               const aclrtStream stream);

ACLGRAD_END_DECLS
