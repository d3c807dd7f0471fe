/* SPDX-License-Identifier: Apache-2.0 */
/* A step of stochastic gradient descent for lists of parameters, in place. */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * For each i, with p = params[i], g = grads[i], b = momentumBufferList[i]:
 *
 *   g = g / gradScale, if there is one; this g is written to grads[i]
 *   d = (maximize ? -g : g) + weightDecay * p
 *   with buffers: b = isFirstStep ? d : momentum * b + (1 - dampening) * d
 *                 d = nesterov ? d + momentum * b : b
 *   p = p - lr * d
 *
 * as torch.optim.SGD. momentumBufferList null or without tensors: there are no buffers, and
 * momentum, dampening, nesterov and isFirstStep count for nothing. gradScale: null, or one element
 * of FLOAT, which is read when the task runs. Data types: FLOAT, FLOAT16, and BF16 on Atlas A2, A3
 * and 950, the same for all tensors. The lists have one length; tensors of one place have one size,
 * or 561002 is the answer, and may lie in memory each in its own way. The computation runs in
 * DOUBLE, and every result rounds once. Tensors without elements are passed over. Limits: ranks at
 * most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnFusedSgdGetWorkspaceSize(
    aclTensorList* params, aclTensorList* grads, aclTensorList* momentumBufferList,
    const aclTensor* gradScale, float weightDecay, float momentum, float lr, float dampening,
    bool nesterov, bool maximize, bool isFirstStep, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFusedSgd(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
