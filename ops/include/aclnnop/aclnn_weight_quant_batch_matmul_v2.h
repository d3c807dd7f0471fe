/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Product with a quantized weight.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * y = x @ ((weight + antiquantOffset) * antiquantScale) + bias, with x [M,K], weight [K,N], y
 * [M,N]. weight is INT8, or INT4: two elements share a byte, the first in its lower half, in two's
 * complement. Its strides count elements; often it and the scales are transposed views, which
 * may leave its storage, as long as it stays within one live allocation.
 * antiquantScale, and the offset of its size, are [1], [N] or [1,N]; with groups of
 * antiquantGroupSize rows that have a scale each, they are [ceil(K / antiquantGroupSize),N]. Data
 * types: x, scale, offset and y FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950, all the same;
 * bias, [N] or [1,N], of that too, or FLOAT. The weight is expanded to FLOAT; products accumulate
 * in FLOAT and are rounded once. K = 0 gives the bias, or 0; an empty y: success, nothing is
 * written. Limits: quantScale and quantOffset null (161002: an INT8 y is not there);
 * antiquantGroupSize 0, for no groups, or a multiple of 32 in [32, K - 1].
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnWeightQuantBatchMatmulV2GetWorkspaceSize(
    const aclTensor* x, const aclTensor* weight, const aclTensor* antiquantScale,
    const aclTensor* antiquantOffsetOptional, const aclTensor* quantScaleOptional,
    const aclTensor* quantOffsetOptional, const aclTensor* biasOptional, int antiquantGroupSize,
    aclTensor* y, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnWeightQuantBatchMatmulV2(void* workspace,
                                                              uint64_t workspaceSize,
                                                              aclOpExecutor* executor,
                                                              aclrtStream stream);

ACLGRAD_END_DECLS
