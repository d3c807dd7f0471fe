/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inverse of maximum pooling of volumes, with zeros between the maxima.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = 0, and the elements of self at the places in the volume of their channel that indices
 * give; where places are equal, the last element, row by row. An index outside the volume fails
 * the run: the synchronization of the stream reports it. self is [C, D, H, W] or [N, C, D, H, W],
 * of which only N may be 0, in the format ND, NCL, NCHW or NCDHW; indices have its shape, out its
 * batch and channels. Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3 and 950, out
 * has self's; indices INT32 or INT64. Limits: outputSize: 3 values above 0, the depth, height and
 * width of out; stride and padding have 1 or 3 values, of which nothing depends. N = 0: success,
 * nothing is written. The gradient takes the elements at the places, as aclnnGather does.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMaxUnpool3dGetWorkspaceSize(
    const aclTensor* self, const aclTensor* indices, const aclIntArray* outputSize,
    const aclIntArray* stride, const aclIntArray* padding, aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMaxUnpool3d(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
