/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maximum pooling of images to a given size, with the places of the maxima.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Element i of an axis of out is the largest of elements floor(i in / out) to ceil((i + 1) in /
 * out) - 1 of self, indices = its place h W + w in the plane of its channel: of the first one, row
 * by row. A NaN is larger than any number. self is [C, H, W] or [N, C, H, W], of which only N may
 * be 0, in the format ND, NCL, NCHW or NCDHW; out and indices have its batch and channels. Data
 * types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3 and 950, out has self's; indices INT32
 * or INT64. Limits: outputSize: 2 values above 0, the height and width of out. N = 0: success,
 * nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnAdaptiveMaxPool2dGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* outputSize, aclTensor* out, aclTensor* indices,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAdaptiveMaxPool2d(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
