/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attention of inference: the part of it that has no masks, quantized keys, pages or prefixes.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * attentionOut = softmax(scaleValue * query key^T + pseShift) value for each head. inputLayout is
 * "BSND": query [B,Sq,N,D], key and value lists of one tensor [B,Skv,Nkv,D]; head h uses head h *
 * Nkv / N of them, and numKeyValueHeads is Nkv, or 0 where that is N. pseShiftOptional, of rank 4,
 * broadcasts to [B,N,Sq,Skv]; -infinity hides a key, whatever that holds, and a row that sees none
 * gives 0. Data types: FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950, of all tensors the same.
 * The computation runs in FLOAT and rounds once. An empty query: success, nothing is written.
 * Limits (161002 for all else): the other tensors and arrays null, or arrays empty; numHeads N, a
 * multiple of Nkv; preTokens and nextTokens at least Sq and Skv; sparseMode, blockSize,
 * antiquantMode, keyAntiquantMode and valueAntiquantMode 0; innerPrecise in [0, 3], which changes
 * nothing here; softmaxLseFlag not set, and softmaxLse null or FLOAT.
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
    aclTensor* attentionOut, aclTensor* softmaxLse, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFusedInferAttentionScoreV2(void* workspace,
                                                                uint64_t workspaceSize,
                                                                aclOpExecutor* executor,
                                                                aclrtStream stream);

ACLGRAD_END_DECLS
