/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient of average pooling of volumes to a given size.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradInput = gradOutput divided by the number of elements of its window in
 * aclnnAdaptiveAvgPool3d, added up over the windows that an element is under. self gives the shape
 * only, [C, D, H, W] or [N, C, D, H, W]; the last three sizes of gradOutput are those of the
 * result. Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3 and 950, equal. Sums are
 * taken in DOUBLE and rounded once. N = 0: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnAdaptiveAvgPool3dBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, aclTensor* gradInput,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAdaptiveAvgPool3dBackward(void* workspace,
                                                               uint64_t workspaceSize,
                                                               aclOpExecutor* executor,
                                                               aclrtStream stream);

ACLGRAD_END_DECLS
