/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient of maximum pooling of volumes.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradInput = 0, and gradOutput added up at the places that indices give. The index -1, of a
 * window without elements, gives to nobody; another index outside the volume fails the run: the
 * synchronization of the stream reports it. Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas
 * A2, A3 and 950, of gradOutput, self and gradInput the same; indices INT32 or INT64. Sums are
 * taken in DOUBLE and rounded once. Limits: those of aclnnMaxPool3dWithArgmax; gradOutput and
 * indices have the shape of its out, gradInput that of self, which gives the shape only. N = 0:
 * success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
    const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding,
    const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMaxPool3dWithArgmaxBackward(void* workspace,
                                                                 uint64_t workspaceSize,
                                                                 aclOpExecutor* executor,
                                                                 aclrtStream stream);

ACLGRAD_END_DECLS
