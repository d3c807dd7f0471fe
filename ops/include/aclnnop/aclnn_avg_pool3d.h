/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Average pooling of volumes.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = the sum of the elements under each window, divided by: divisorOverride where that is not
 * 0; else, with countIncludePad, the size of the window up to the end of the padding; else the
 * number of elements. Along an axis there are (in + 2 padding - kernel) / stride + 1 windows,
 * rounded down, or with ceilMode up, without a last one that would begin in the padding behind the
 * axis: with ceilMode a kernel may be larger than the padded axis, by less than the stride.
 * kernelSize, stride and padding have one value for all axes or one for each; an empty stride is
 * the kernel.
 *
 * self is [C, D, H, W] or [N, C, D, H, W], of which only N may be 0, in the format ND, NCL, NCHW
 * or NCDHW; out has its batch and channels. Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas
 * A2, A3 and 950, equal. Sums are taken in DOUBLE and rounded once. Limits: 1 or 3 values of
 * kernelSize above 0, of stride above 0 or none, of padding, at least 0 and at most half of the
 * kernel (all below 2^31); a window has room. N = 0: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnAvgPool3dGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,
    const aclIntArray* padding, bool ceilMode, bool countIncludePad, int64_t divisorOverride,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAvgPool3d(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
