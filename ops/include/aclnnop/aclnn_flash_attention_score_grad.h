/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient of attention in tiles (aclnn_flash_attention_score.h): the shares are made again from
 * softmaxMax and softmaxSum.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * With P = e^(z - m) / sum of the scaled scores z, M the dropout (0 or 1 / keepProb), and
 * dS = P (M (dy value^T) - sum(dy attentionIn)): dv = (M P)^T dy, dq = scaleValue dS key,
 * dk = scaleValue dS^T query, over all heads that use the key's, and dpse = scaleValue dS, summed
 * to pseShift's shape. What is masked out has no part in them, whatever m and sum are, and neither
 * has a row whose sum is 0, or whose dy is 0 everywhere; all that may be infinite or NaN.
 *
 * query to sparseMode are as of the forward, with dy and attentionIn of attentionOut's shape and
 * dtype. softmaxIn: not used, may be null. dq, dk, dv: of query, key and value, their dtype. dpse:
 * of pseShift, its dtype; not written where pseShift or dpse is null or dpse is empty.
 *
 * Products and exponentials run in FLOAT, all of it in DOUBLE for DOUBLE: where the terms of a sum
 * cancel, their roundings are left. Outputs must not overlap inputs.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnFlashAttentionScoreGradGetWorkspaceSize(
    const aclTensor* query, const aclTensor* key, const aclTensor* value, const aclTensor* dy,
    const aclTensor* pseShiftOptional, const aclTensor* dropMaskOptional,
    const aclTensor* paddingMaskOptional, const aclTensor* attenMaskOptional,
    const aclTensor* softmaxMax, const aclTensor* softmaxSum, const aclTensor* softmaxInOptional,
    const aclTensor* attentionIn, const aclIntArray* prefixOptional, double scaleValue,
    double keepProb, int64_t preTokens, int64_t nextTokens, int64_t headNum, char* inputLayout,
    int64_t innerPrecise, int64_t sparseMode, aclTensor* dqOut, aclTensor* dkOut, aclTensor* dvOut,
    aclTensor* dpseOptional, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFlashAttentionScoreGrad(void* workspace,
                                                             uint64_t workspaceSize,
                                                             aclOpExecutor* executor,
                                                             aclrtStream stream);

ACLGRAD_END_DECLS
