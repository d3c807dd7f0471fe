/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gradient of aclnnUpsampleLinear1d.
 *
 * No output may overlap an input. Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3
 * and 950.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * The adjoint of aclnnUpsampleLinear1d: every element of gradOutput is added to the elements of
 * gradInput that it is made of, times its weights. Sums are taken in DOUBLE and rounded once.
 *
 * gradOutput and gradInput have the sizes of aclnnUpsampleLinear1d's out and self and one dtype;
 * outputSize is the spatial sizes of gradOutput, inputSize all sizes of gradInput.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnUpsampleLinear1dBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclIntArray* outputSize, const aclIntArray* inputSize,
    bool alignCorners, double scales, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnUpsampleLinear1dBackward(void* workspace,
                                                              uint64_t workspaceSize,
                                                              aclOpExecutor* executor,
                                                              aclrtStream stream);

ACLGRAD_END_DECLS
