/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gradients of aclnnGridSampler2D.
 *
 * No output may overlap an input. Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3
 * and 950, the same for all tensors. Sums are taken in DOUBLE and rounded once.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * outputMask: two values, whether inputGrad and gridGrad are written; one that is not may be
 * null. inputGrad has the size of input: every element of gradOutput is added to what it was
 * read from, times its weight. gridGrad has the size of grid: by the derivatives of the weights;
 * 0 along an axis where paddingMode 1 or 2 put the coordinate at the first or the last element,
 * and of the nearest element. A coordinate that is NaN gives input nothing and itself NaN. All
 * else is as aclnnGridSampler2D says.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGridSampler2DBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* input, const aclTensor* grid,
    int64_t interpolationMode, int64_t paddingMode, bool alignCorners,
    const aclBoolArray* outputMask, aclTensor* inputGrad, aclTensor* gridGrad,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGridSampler2DBackward(void* workspace, uint64_t workspaceSize,
                                                           aclOpExecutor* executor,
                                                           aclrtStream stream);

ACLGRAD_END_DECLS
