/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One step of AdamW (Loshchilov and Hutter, 2019), in place, its numbers in tensors. The older
 * sister of aclnnApplyAdamWV2.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * With the powers of the step before, beta1^t = beta1Power * beta1 and beta2^t = beta2Power *
 * beta2:
 *   g     = -grad if maximize, else grad
 *   theta = theta * (1 - lr * weightDecay)
 *   m     = m + (1 - beta1) * (g - m)
 *   v     = beta2 * v + (1 - beta2) * g^2
 *   u     = v; with amsgrad max(maxGradNormOptional, v)
 *   theta = theta - lr / (1 - beta1^t) * m / (sqrt(u) / sqrt(1 - beta2^t) + eps)
 * computed in DOUBLE, each tensor rounded once at the end. Only varRef (theta), mRef and vRef are
 * written; the powers are not advanced.
 *
 * All tensors of one dtype: FLOAT, FLOAT16, or BF16 on Atlas A2, A3 and 950. mRef, vRef, grad and
 * maxGradNormOptional have varRef's shape; the latter is required with amsgrad and else may be
 * null. beta1Power, beta2Power, lr, weightDecay, beta1, beta2, eps: one element of any rank, read
 * when the work runs. An empty varRef: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnApplyAdamWGetWorkspaceSize(
    aclTensor* varRef, aclTensor* mRef, aclTensor* vRef, const aclTensor* beta1Power,
    const aclTensor* beta2Power, const aclTensor* lr, const aclTensor* weightDecay,
    const aclTensor* beta1, const aclTensor* beta2, const aclTensor* eps, const aclTensor* grad,
    const aclTensor* maxGradNormOptional, bool amsgrad, bool maximize, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnApplyAdamW(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
