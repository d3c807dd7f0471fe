/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient of maximum pooling of images to a given size.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradInput = 0, and gradOutput added up at the places that indices give. The index -1, of a
 * window without elements, gives to nobody; another index outside the plane fails the run: the
 * synchronization of the stream reports it. Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas
 * A2, A3 and 950, of gradOutput, self and gradInput the same; indices INT32 or INT64. Sums are
 * taken in DOUBLE and rounded once. self gives the shape only, [C, H, W] or [N, C, H, W];
 * gradOutput and indices have its batch and channels. N = 0: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
    aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAdaptiveMaxPool2dBackward(void* workspace,
                                                               uint64_t workspaceSize,
                                                               aclOpExecutor* executor,
                                                               aclrtStream stream);

ACLGRAD_END_DECLS
