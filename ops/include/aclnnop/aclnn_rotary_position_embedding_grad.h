/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient of the rotary position embedding (aclnn_rotary_position_embedding.h).
 *
 * dxOut may be dy.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * dx is dy turned back by the angles. dcos = sum(dy * x) and dsin = sum(dy * rot(x)), over the
 * dimensions in which cos is broadcast, are written where x and they are given. x has dy's shape,
 * dcos and dsin have that of cos; the rest is as of the forward. dcos and dsin must not overlap an
 * input. An empty dy: dx is not written, dcos and dsin that have elements become 0.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnRotaryPositionEmbeddingGradGetWorkspaceSize(
    const aclTensor* dy, const aclTensor* cos, const aclTensor* sin, const aclTensor* xOptional,
    int64_t mode, aclTensor* dxOut, aclTensor* dcosOptional, aclTensor* dsinOptional,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnRotaryPositionEmbeddingGrad(void* workspace,
                                                                 uint64_t workspaceSize,
                                                                 aclOpExecutor* executor,
                                                                 aclrtStream stream);

ACLGRAD_END_DECLS
