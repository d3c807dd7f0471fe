/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Average pooling of volumes to a given size.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Element i of an axis of out is the average of elements floor(i in / out) to ceil((i + 1) in /
 * out) - 1 of self. self is [C, D, H, W] or [N, C, D, H, W], of which only N may be 0, in the
 * format ND, NCL, NCHW or NCDHW; out has its batch and channels. Data types: FLOAT, FLOAT16,
 * DOUBLE, and BF16 on Atlas A2, A3 and 950, equal. Sums are taken in DOUBLE and rounded once.
 * Limits: outputSize: 3 values above 0, the depth, height and width of out. N = 0: success,
 * nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnAdaptiveAvgPool3dGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* outputSize, aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAdaptiveAvgPool3d(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
