/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradients of group normalization and its swish.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Of aclnnGroupNormSwish with activateSwish, with n = (x - mean) * rstd, z = n * gamma + beta, u =
 * 1 / (1 + e^(-swishScale * z)), dz = dy * u * (1 + swishScale * z * (1 - u)) and h = dz * gamma:
 * dxOut = rstd * (h - average(h) - n * average(h * n)) with the averages of every group of
 * channels of every image; dgammaOut = sum(dz * n) with dgammaIsRequire and dbetaOut = sum(dz)
 * with dbetaIsRequire, for every channel. What is not asked for may be null and is not written.
 * mean and rstd, [N, numGroups], are the forward's.
 *
 * Data types and limits are those of the forward: dy and dxOut have x's data type, all others
 * gamma's. The computation runs in DOUBLE and rounds once. dxOut must not overlap other tensors.
 * Of an empty x dgammaOut and dbetaOut are 0.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGroupNormSwishGradGetWorkspaceSize(
    const aclTensor* dy, const aclTensor* mean, const aclTensor* rstd, const aclTensor* x,
    const aclTensor* gamma, const aclTensor* beta, int64_t numGroups, char* dataFormat,
    double swishScale, bool dgammaIsRequire, bool dbetaIsRequire, aclTensor* dxOut,
    aclTensor* dgammaOut, aclTensor* dbetaOut, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGroupNormSwishGrad(void* workspace, uint64_t workspaceSize,
                                                        aclOpExecutor* executor,
                                                        aclrtStream stream);

ACLGRAD_END_DECLS
