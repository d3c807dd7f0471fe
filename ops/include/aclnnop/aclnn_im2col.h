/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The elements under each window of images as a column.
 *
 * Every value keeps its bits. No output may overlap an input. Data types: FLOAT, FLOAT16,
 * DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, and BF16 on Atlas A2, A3 and 950; out has the
 * dtype of self.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self is [C, H, W] or [N, C, H, W], of which only N may be 0, in the format ND, NCL or NCHW;
 * out is [C kH kW, L] or [N, C kH kW, L], L windows row by row. Row (c kH + i) kW + j, column y
 * oW + x is element [c, y stride - padding + i dilation, x stride - padding + j dilation] of
 * self, and 0 beside the image.
 *
 * kernelSize, dilation, padding and stride: one number for both axes or two, height first,
 * padding at least 0, the others at least 1, all below 2^31; there are (in + 2 padding -
 * dilation (kernel - 1) - 1) / stride + 1 windows along an axis, rounded down, at least one.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnIm2colGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* dilation,
    const aclIntArray* padding, const aclIntArray* stride, aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnIm2col(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
