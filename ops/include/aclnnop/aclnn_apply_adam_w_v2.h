/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One step of AdamW (Loshchilov and Hutter, 2019), in place.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * With t = step + 1 (the tensor step holds the number of steps already done; it is not advanced):
 *   g     = -grad if maximize, else grad
 *   theta = theta * (1 - lr * weightDecay)
 *   m     = m + (1 - beta1) * (g - m)
 *   v     = beta2 * v + (1 - beta2) * g^2
 *   u     = v; with amsgrad maxGradNorm = max(maxGradNorm, v) and u = maxGradNorm
 *   theta = theta - lr / (1 - beta1^t) * m / (sqrt(u) / sqrt(1 - beta2^t) + eps)
 * from the tensors and the FLOAT hyper-parameters. Where all tensors have one dtype, m and v are
 * within 1 ulp of FLOAT, theta within 0.51 ulp and 2^-21 of its change, and FLOAT16 and BF16 are
 * those, rounded; otherwise all is DOUBLE, and each tensor is rounded once at the end. weightDecay
 * 0 gives Adam.
 *
 * varRef (theta), mRef, vRef, grad and maxGradNormOptionalRef: each FLOAT, FLOAT16 or BF16, all of
 * varRef's shape. maxGradNormOptionalRef is required with amsgrad and else may be null; without
 * amsgrad it keeps its values. step: FLOAT or INT64, one element of any rank. Hyper-parameters are
 * not checked. Atlas A2, A3 and 950. An empty varRef: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnApplyAdamWV2GetWorkspaceSize(
    aclTensor* varRef, aclTensor* mRef, aclTensor* vRef, aclTensor* maxGradNormOptionalRef,
    const aclTensor* grad, const aclTensor* step, float lr, float beta1, float beta2,
    float weightDecay, float eps, bool amsgrad, bool maximize, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnApplyAdamWV2(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
