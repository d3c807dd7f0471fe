/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The derivative of GELU in its tanh form: gradInput = gradOutput * gelu'(x) with
 *
 *   gelu'(x) = s + x * s * (1 - s) * 2 u'(x),  s = 1 / (1 + e^(-2 u)),
 *   u = sqrt(2/pi) * (x + 0.044715 x^3)
 *
 * gelu'(-infinity) = 0, gelu'(+infinity) = 1, NaN stays NaN.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradOutput, self   broadcast against each other, rank up to 8; the type P that both promote to is
 *                    FLOAT, FLOAT16 or BF16 (Ascend910B, Ascend910_93, Ascend950)
 * gradInput          broadcast shape of the two; the result is rounded to P and then converted to
 *                    gradInput's dtype. It is written, in spite of the const.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGeluBackwardGetWorkspaceSize(const aclTensor* gradOutput,
                                                                  const aclTensor* self,
                                                                  const aclTensor* gradInput,
                                                                  uint64_t* workspaceSize,
                                                                  aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGeluBackward(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor,
                                                  const aclrtStream stream);

ACLGRAD_END_DECLS
