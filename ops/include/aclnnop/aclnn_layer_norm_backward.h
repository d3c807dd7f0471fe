/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradients of layer normalization.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Of aclnnLayerNorm, with the mean and rstd that it has written (M elements each), n = (input -
 * mean) * rstd and h = gradOut * weight: gradInputOut = rstd * (h - average(h) - n * average(h *
 * n)) for every row of N elements; gradWeightOut = sum(gradOut * n) and gradBiasOut = sum(gradOut)
 * over the M rows. outputMask says which of the three are written, in this order; the others may
 * be null. Sums are taken in DOUBLE in a fixed order, results rounded once, 16-bit gradients of
 * input by way of FLOAT. Data types: FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950; gradOut has
 * input's; weight and bias, which may be null (bias plays no part), input's or FLOAT; mean, rstd
 * and the outputs any of them. Limits: outputMask has 3 values; ranks at most 8; normalizedShape
 * has 1 to 8 sizes, the last of input. M = 0: gradWeightOut and gradBiasOut become 0.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLayerNormBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclTensor* input, const aclIntArray* normalizedShape,
    const aclTensor* mean, const aclTensor* rstd, const aclTensor* weightOptional,
    const aclTensor* biasOptional, const aclBoolArray* outputMask, aclTensor* gradInputOut,
    aclTensor* gradWeightOut, aclTensor* gradBiasOut, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLayerNormBackward(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
