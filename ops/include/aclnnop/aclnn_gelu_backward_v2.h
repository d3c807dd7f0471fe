/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The derivative of GELU in both forms: gradInput = gradOutput * gelu'(x) with
 *
 *   approximate "none"   gelu'(x) = Phi(x) + x * phi(x),  Phi and phi of the normal distribution
 *   approximate "tanh"   gelu'(x) = s + x * s * (1 - s) * 2 u'(x),  s = 1 / (1 + e^(-2 u)),
 *                        u = sqrt(2/pi) * (x + 0.044715 x^3)
 *
 * gelu'(-infinity) = 0, gelu'(+infinity) = 1, NaN stays NaN.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradOutput, self   broadcast against each other, rank up to 8; the type P that both promote to is
 *                    FLOAT, FLOAT16 or BF16 (Ascend910B, Ascend910_93, Ascend950)
 * approximate        "none" or "tanh"
 * gradInput          broadcast shape of the two; the result is rounded to P and then converted to
 *                    gradInput's dtype
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGeluBackwardV2GetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, char* approximate, aclTensor* gradInput,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGeluBackwardV2(void* workspace, uint64_t workspaceSize,
                                                    aclOpExecutor* executor,
                                                    const aclrtStream stream);

ACLGRAD_END_DECLS
