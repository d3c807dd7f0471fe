/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns added up to images: the gradient of aclnnIm2col, col2im.
 *
 * No output may overlap an input. Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3
 * and 950, the same for both tensors.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Every element of gradOutput, of the size of aclnnIm2col's out, is added to the element of out
 * that it is a copy of there; those beside the image are dropped. Sums are taken in DOUBLE, row
 * by row of gradOutput, and rounded once. out is [C, H, W] or [N, C, H, W], inputSize its height
 * and width.
 *
 * kernelSize, dilation, padding and stride: one number for both axes or two, height first,
 * padding at least 0, the others at least 1, all below 2^31; there are (in + 2 padding -
 * dilation (kernel - 1) - 1) / stride + 1 windows along an axis, rounded down, at least one.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnIm2colBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclIntArray* inputSize, const aclIntArray* kernelSize,
    const aclIntArray* dilation, const aclIntArray* padding, const aclIntArray* stride,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnIm2colBackward(void* workspace, uint64_t workspaceSize,
                                                    aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
