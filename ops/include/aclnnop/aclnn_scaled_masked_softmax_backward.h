/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient of the softmax of scaled and masked scores (aclnn_scaled_masked_softmax.h).
 *
 * xGrad may be yGrad or y.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * xGrad = scale * y * (yGrad - sum(yGrad * y)) along the last dimension, 0 where masked out; where
 * y is 0 there, yGrad does not count, be it infinite or NaN. y is the result of the forward;
 * shapes, dtypes, mask and fixedTriuMask are as there. The computation runs in DOUBLE and rounds
 * once. An empty y: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnScaledMaskedSoftmaxBackwardGetWorkspaceSize(
    const aclTensor* yGrad, const aclTensor* y, const aclTensor* mask, double scale,
    bool fixedTriuMask, aclTensor* xGrad, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnScaledMaskedSoftmaxBackward(void* workspace,
                                                                 uint64_t workspaceSize,
                                                                 aclOpExecutor* executor,
                                                                 aclrtStream stream);

ACLGRAD_END_DECLS
