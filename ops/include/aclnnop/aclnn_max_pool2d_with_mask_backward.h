/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient of maximum pooling of images, by a mask.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradInput = 0, and gradOutput added up where the mask of aclnnMaxPool2dWithMask, with the same
 * attributes, has bits. A bit for an element outside the plane fails the run: the synchronization
 * of the stream reports it. Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3 and 950,
 * of gradOutput, self and gradInput the same. Sums are taken in DOUBLE and rounded once. Limits:
 * those of aclnnMaxPool2dWithMask; gradOutput has the shape of its out, gradInput that of self,
 * which gives the shape only. N = 0: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMaxPool2dWithMaskBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* mask,
    const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding,
    const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMaxPool2dWithMaskBackward(void* workspace,
                                                               uint64_t workspaceSize,
                                                               aclOpExecutor* executor,
                                                               aclrtStream stream);

ACLGRAD_END_DECLS
