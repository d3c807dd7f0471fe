/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maximum pooling of volumes to a given size, with the places of the maxima.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Element i of an axis of out is the largest of elements floor(i in / out) to ceil((i + 1) in /
 * out) - 1 of self, indices = its place (d H + h) W + w in the volume of its channel: of the first
 * one, row by row. A NaN is larger than any number. self is [C, D, H, W] or [N, C, D, H, W], of
 * which only N may be 0, in the format ND, NCL, NCHW or NCDHW; out and indices have its batch and
 * channels. Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3 and 950, out has self's;
 * indices INT32 or INT64. Limits: outputSize: 3 values above 0, the depth, height and width of
 * out. N = 0: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnAdaptiveMaxPool3dGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* outputSize, aclTensor* out, aclTensor* indices,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAdaptiveMaxPool3d(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
