/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maximum pooling of images, without the places of the maxima.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = the largest element under each window. A NaN is larger than any number. Padding never
 * wins: where it leaves a window without an element, out is minus infinity. Along an axis there
 * are (in + begin + end - dilation (kernel - 1) - 1) / stride + 1 windows, rounded down, or with
 * ceilMode up, without a last one that would begin in the padding behind the axis. kernelShape,
 * strides and dilations have one value for both axes or one for each; empty strides are the
 * kernel. pads are one value for all sides, or height and width, or begin of the height, begin of
 * the width, end of the height and end of the width, as in ONNX.
 *
 * self is [C, H, W] or [N, C, H, W], of which only N may be 0, in the format ND, NCL, NCHW or
 * NCDHW; out has its batch and channels. Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2,
 * A3 and 950, equal. Limits: values of kernelShape, strides and dilations above 0, of pads, at
 * least 0 and at most the kernel (all below 2^31); a window has room; autoPad 0, of which the
 * lower 32 bits count. Of ceilMode the lowest bit counts, so that a bool does. N = 0: success,
 * nothing is written. aclnnMaxPool2dWithMask has a gradient.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMaxPoolGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* kernelShape, const aclIntArray* strides,
    int64_t autoPad, const aclIntArray* pads, const aclIntArray* dilations, int64_t ceilMode,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMaxPool(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
