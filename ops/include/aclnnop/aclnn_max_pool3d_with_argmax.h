/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maximum pooling of volumes, with the places of the maxima.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = the largest element under each window, indices = its place (d H + h) W + w in the volume
 * of its channel: of the first one, row by row. A NaN is larger than any number. Padding never
 * wins. Windows are as in aclnnAvgPool3d, with elements `dilation` apart; where dilation leaves a
 * window without an element, out is minus infinity and the index -1, which the gradient leaves
 * out.
 *
 * self is [C, D, H, W] or [N, C, D, H, W], of which only N may be 0, in the format ND, NCL, NCHW
 * or NCDHW; out and indices have its batch and channels. Data types: FLOAT, FLOAT16, DOUBLE, and
 * BF16 on Atlas A2, A3 and 950, out has self's; indices INT32 or INT64. Limits: 1 or 3 values of
 * kernelSize above 0, of stride above 0 or none (the kernel), of padding, at least 0 and at most
 * half of the kernel, of dilation above 0 (all below 2^31); a window has room. N = 0: success,
 * nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMaxPool3dWithArgmaxGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,
    const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode, aclTensor* out,
    aclTensor* indices, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMaxPool3dWithArgmax(void* workspace, uint64_t workspaceSize,
                                                         aclOpExecutor* executor,
                                                         aclrtStream stream);

ACLGRAD_END_DECLS
