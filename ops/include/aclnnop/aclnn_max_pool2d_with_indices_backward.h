/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient of maximum pooling.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h"                            /* what holds for every operator */
#include "aclnnop/aclnn_max_pool2d_with_mask_backward.h" /* programs expect it here too */

ACLGRAD_BEGIN_DECLS

/*
 * gradInput = 0, and gradOutput added up at the places that indices give. The index -1, of a
 * window without elements, gives to nobody; another index outside the plane fails the run: the
 * synchronization of the stream reports it. Data types: FLOAT, FLOAT16, and BF16 on Atlas A2, A3
 * and 950, of gradOutput, self and gradInput the same; indices INT32 or INT64. Sums are taken in
 * DOUBLE and rounded once. Limits: formats of self, gradOutput and gradInput equal and not
 * private, nor that of indices; rank of self 3 or 4; a window has room. An empty self: success,
 * nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
    const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding,
    const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMaxPool2dWithIndicesBackward(void* workspace,
                                                                  uint64_t workspaceSize,
                                                                  aclOpExecutor* executor,
                                                                  aclrtStream stream);

ACLGRAD_END_DECLS
