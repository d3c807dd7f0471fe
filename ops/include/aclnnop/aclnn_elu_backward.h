/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The derivative of ELU. With s an element of selfOrResult:
 *
 *   isResult (s is the forward's output):
 *     gradInput = gradOutput * inputScale * (s + alpha * scale)                         s <= 0
 *   not isResult (s is the forward's input):
 *     gradInput = gradOutput * inputScale * alpha * scale * e^(s * inputScale)          s <= 0
 *   both:
 *     gradInput = gradOutput * scale                                                    s > 0
 *
 * The scalars are taken as float. A negative alpha is computed from the input; with isResult it is
 * refused (161002), as results of both branches would be above 0. With isResult the branch follows
 * the sign of the output, so for scale < 0 or inputScale < 0 this is not the derivative of
 * aclnnElu. NaN in s gives NaN.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradOutput    FLOAT, FLOAT16, BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * selfOrResult  dtype and shape of gradOutput
 * gradInput     any floating or complex type; shape of gradOutput. The result is rounded to
 *               gradOutput's dtype first and then converted.
 * alpha, scale, inputScale   host scalars of any type but complex
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnEluBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclScalar* alpha, const aclScalar* scale,
    const aclScalar* inputScale, bool isResult, const aclTensor* selfOrResult, aclTensor* gradInput,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnEluBackward(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
