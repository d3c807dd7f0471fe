/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maximum pooling of images, with a mask of the places of the maxima.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = the largest element under each window, the first one, row by row. A NaN is larger than any
 * number. Padding never wins. Windows are as in aclnnAvgPool2d, with elements `dilation` apart;
 * where dilation leaves a window without an element, out is minus infinity and the mask has no
 * bit.
 *
 * mask is INT8 [(N,) C, kH kW, (ceil(oH oW / 16) + 1) 32] for an out [(N,) C, oH, oW]. Its layout
 * is private to a library: of this one, bit e % 8, from the least, of byte e / 8 of row i kW + j
 * is 1 where element e = y oW + x of out is element (i, j) of its window, and all other bits are
 * 0. aclnnMaxPool2dWithMaskBackward reads it.
 *
 * self is [C, H, W] or [N, C, H, W], of which only N may be 0, in the format ND, NCL, NCHW or
 * NCDHW; out has its batch and channels. Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2,
 * A3 and 950, equal. Limits: 1 or 2 values of kernelSize above 0, of stride above 0 or none (the
 * kernel), of padding, at least 0 and at most half of the kernel, of dilation above 0 (all below
 * 2^31); a window has room. N = 0: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMaxPool2dWithMaskGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,
    const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode, aclTensor* out,
    aclTensor* mask, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMaxPool2dWithMask(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
