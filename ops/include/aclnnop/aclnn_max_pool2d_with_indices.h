/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maximum pooling of images, with the places of the maxima.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h"                   /* what holds for every operator */
#include "aclnnop/aclnn_max_pool2d_with_mask.h" /* programs expect it here too */

ACLGRAD_BEGIN_DECLS

/*
 * out = the largest element under each window, indices = its place h W + w in the plane of its
 * channel: of the first one, row by row. A NaN is larger than any number. Padding never wins.
 * Windows are as in aclnnAvgPool2d, with elements `dilation` apart; on Atlas 950 dilation may be
 * above 1, and where it then leaves a window without an element, out is minus infinity and the
 * index -1, which the gradient leaves out.
 *
 * self is [C, H, W] or [N, C, H, W], or with the channels last in the format NHWC. Data types:
 * FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950, out has self's; indices INT32 or INT64.
 * Limits: formats of self and out equal and not private; C, H and W above 0; 1 or 2 values of
 * kernelSize above 0, of stride above 0 or none (the kernel), of padding, at least 0 and at most
 * half of the kernel, of dilation, 1 (all below 2^31); a window has room. N = 0: success, nothing
 * is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMaxPool2dWithIndicesGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,
    const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode, aclTensor* out,
    aclTensor* indices, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMaxPool2dWithIndices(void* workspace, uint64_t workspaceSize,
                                                          aclOpExecutor* executor,
                                                          aclrtStream stream);

ACLGRAD_END_DECLS
