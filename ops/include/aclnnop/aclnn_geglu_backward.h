/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The derivative of GEGLU. With self = [A, B] and gradInput = [dA, dB] along `dim` and g =
 * gradOutput:
 *
 *   activateLeft    dA                   dB
 *   false           g * gelu             g * A * gelu'(B)
 *   true            g * B * gelu'(A)     g * gelu
 *
 * `gelu` is the forward's outGelu and is used as given.
 *
 *   approximate 0   gelu'(x) = Phi(x) + x * phi(x),  Phi and phi of the normal distribution
 *   approximate 1   gelu'(x) = s + x * s * (1 - s) * 2 u'(x),  s = 1 / (1 + e^(-2 u)),
 *                   u = sqrt(2/pi) * (x + 0.044715 x^3)
 *
 * gelu'(-infinity) = 0, gelu'(+infinity) = 1, NaN stays NaN.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * aclnnGeGluV3Backward with activateLeft = false.
 *
 * gradOutput    FLOAT16, FLOAT, BF16 (Ascend910B, Ascend910_93, Ascend950); rank up to 8; shape of
 *               self with the size along dim halved
 * self          dtype of gradOutput
 * gelu          dtype and shape of gradOutput
 * dim           -n to n-1 for self's rank n (n = 1 for a 0-d self)
 * approximate   0 or 1; on Ascend310P only 1
 * gradInput     dtype of gradOutput, shape of self; may be exactly self
 *
 * A 0-d self passes only with a one-dimensional gradOutput of size 0; nothing is computed then.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGeGluBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* gelu, int64_t dim,
    int64_t approximate, aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGeGluBackward(void* workspace, uint64_t workspaceSize,
                                                   aclOpExecutor* executor, aclrtStream stream);

/*
 * As aclnnGeGluBackward, with the half that went through gelu given by activateLeft.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGeGluV3BackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* gelu, int64_t dim,
    int64_t approximate, bool activateLeft, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGeGluV3Backward(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
