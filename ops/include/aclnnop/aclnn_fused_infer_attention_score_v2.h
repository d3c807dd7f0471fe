/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attention of inference, in tiles, with a mask that is added:
 *
 *   attentionOut = softmax(scaleValue * query key^T + pseShift) value
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * inputLayout: BSND.
 *
 * query [B, Sq, numHeads, D]; key, value: lists of one tensor, [B, Skv, N, D]: FLOAT, FLOAT16; BF16
 * (Ascend910B, Ascend910_93, Ascend950); alike. numKeyValueHeads is N, or 0 where that is numHeads;
 * N divides numHeads: head h uses number h / (numHeads / N).
 *
 * pseShift: null, or query's dtype, [B or 1, numHeads, Sq, Skv]. A place whose shift is -infinity
 * is masked out; no finite shift masks out.
 *
 * attentionOut: query's dtype and shape. A row whose places are all masked out is 0. Keys and
 * values that a row does not see do not reach it, be they infinite or NaN. Products and
 * exponentials run in FLOAT, sums in DOUBLE. It must not overlap inputs.
 *
 * Limits: all other tensors null, all arrays null or empty, sparseMode 0, softmaxLseFlag false
 * (161002). preTokens, nextTokens, innerPrecise, blockSize and the modes of quantization: not used.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnFusedInferAttentionScoreV2GetWorkspaceSize(
    const aclTensor* query, const aclTensorList* key, const aclTensorList* value,
    const aclTensor* pseShiftOptional, const aclTensor* attenMaskOptional,
    const aclIntArray* actualSeqLengthsOptional, const aclIntArray* actualSeqLengthsKvOptional,
    const aclTensor* deqScale1Optional, const aclTensor* quantScale1Optional,
    const aclTensor* deqScale2Optional, const aclTensor* quantScale2Optional,
    const aclTensor* quantOffset2Optional, const aclTensor* antiquantScaleOptional,
    const aclTensor* antiquantOffsetOptional, const aclTensor* blockTableOptional,
    const aclTensor* queryPaddingSizeOptional, const aclTensor* kvPaddingSizeOptional,
    const aclTensor* keyAntiquantScaleOptional, const aclTensor* keyAntiquantOffsetOptional,
    const aclTensor* valueAntiquantScaleOptional, const aclTensor* valueAntiquantOffsetOptional,
    const aclTensor* keySharedPrefixOptional, const aclTensor* valueSharedPrefixOptional,
    const aclIntArray* actualSharedPrefixLenOptional, int64_t numHeads, double scaleValue,
    int64_t preTokens, int64_t nextTokens, char* inputLayout, int64_t numKeyValueHeads,
    int64_t sparseMode, int64_t innerPrecise, int64_t blockSize, int64_t antiquantMode,
    bool softmaxLseFlag, int64_t keyAntiquantMode, int64_t valueAntiquantMode,
    aclTensor* attentionOut, aclTensor* softmaxLseOptional, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFusedInferAttentionScoreV2(void* workspace,
                                                                uint64_t workspaceSize,
                                                                aclOpExecutor* executor,
                                                                aclrtStream stream);

ACLGRAD_END_DECLS
