/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attention in tiles: memory grows with the number of places, not with its square.
 *
 *   attentionOut = dropout(softmax(scaleValue * (query key^T + realShift))) value
 *
 * of every head, with places that are masked out left out of the softmax.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * inputLayout: BSH, SBH, BNSD or BSND, of batch B, places S, N heads of D columns, H = N D.
 *
 * query, key, value: FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950); alike;
 * rank 3 or 4, as the layout says. Keys and values have one number of heads, which divides headNum,
 * the heads of query: head h uses number h / (headNum / theirs). Columns of keys are those of
 * queries, of values at most as many.
 *
 * realShift: null, or query's dtype, [B or 1, headNum, Sq or 1, Skv]. For scaleValue > 0 a place
 * whose shift is -infinity is masked out; no finite shift masks out.
 *
 * dropMask: read for keepProb < 1 only: UINT8, bits as of aclnnDropoutGenMask for
 * [B, headNum, Sq, Skv]; kept shares are divided by keepProb, 0 < keepProb <= 1.
 *
 * attenMask: null, or BOOL or UINT8. With sparseMode 0 and 1 it broadcasts to [B, headNum, Sq, Skv]
 * from rank 2 or 4, and what is not 0 is masked out. With 2 and 3 it is the compressed mask,
 * [2048, 2048] or [1, 1, 2048, 2048], whose elements are not read: masked out are places j > i of
 * the keys (2), or j > i + Skv - Sq (3), whatever Sq and Skv are. Without attenMask nothing is
 * masked out, whatever sparseMode, 0 to 3.
 *
 * paddingMask, preTokens, nextTokens, innerPrecise, softmaxOut: not used. prefix: null or empty.
 *
 * softmaxMax, softmaxSum: FLOAT, beside DOUBLE inputs DOUBLE; [B, headNum, Sq, 8]: of every row the
 * largest scaled score m and the sum of e^(z - m), each 8 times.
 *
 * attentionOut: query's dtype and shape, with the values' columns.
 *
 * A row whose places are all masked out has output 0, sum 0 and the lowest FLOAT as m. Keys and
 * values that a row does not see do not reach it, be they infinite or NaN. Products and
 * exponentials run in FLOAT, sums in DOUBLE, all of it in DOUBLE for DOUBLE. Outputs must not
 * overlap inputs.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnFlashAttentionScoreGetWorkspaceSize(
    const aclTensor* query, const aclTensor* key, const aclTensor* value,
    const aclTensor* realShiftOptional, const aclTensor* dropMaskOptional,
    const aclTensor* paddingMaskOptional, const aclTensor* attenMaskOptional,
    const aclIntArray* prefixOptional, double scaleValue, double keepProb, int64_t preTokens,
    int64_t nextTokens, int64_t headNum, char* inputLayout, int64_t innerPrecise,
    int64_t sparseMode, aclTensor* softmaxMaxOut, aclTensor* softmaxSumOut,
    aclTensor* softmaxOutOptional, aclTensor* attentionOut, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFlashAttentionScore(void* workspace, uint64_t workspaceSize,
                                                         aclOpExecutor* executor,
                                                         aclrtStream stream);

ACLGRAD_END_DECLS
