/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Average pooling of images.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = the sum of the elements under each window, divided by: divisorOverride where that is not 0;
 * else, with countIncludePad, the size of the window up to the end of the padding; else the number
 * of elements. Along an axis there are (in + 2 padding - kernel) / stride + 1 windows, rounded
 * down, or with ceilMode up, without a last one that would begin in the padding behind the axis:
 * with ceilMode a kernel may be larger than the padded axis, by less than the stride.
 * kernelSize, strides and paddings have one value for both axes or one for each; empty strides are
 * the kernel.
 *
 * self is [C, H, W] of format NCL or [N, C, H, W] of format NCHW. Data types: FLOAT, FLOAT16, and
 * BF16 on Atlas A2, A3 and 950. Sums are taken in DOUBLE and rounded once. Limits: 1 or 2 values
 * of kernelSize above 0, of strides above 0, of paddings, at least 0 and at most half of the
 * kernel (all below 2^31); C, H and W above 0; a window has room; cubeMathType 0 to 4, which
 * changes nothing. N = 0: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnAvgPool2dGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* strides,
    const aclIntArray* paddings, const bool ceilMode, const bool countIncludePad,
    const int64_t divisorOverride, const int8_t cubeMathType, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAvgPool2d(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
