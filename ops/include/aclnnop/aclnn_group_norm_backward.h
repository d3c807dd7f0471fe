/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradients of the normalization of groups of channels.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Of aclnnGroupNorm, with the mean and rstd that it has written, x = (input - mean) * rstd and h =
 * gradOut * gamma: gradInput = rstd * (h - average(h) - x * average(h * x)) for every group;
 * gradGammaOut = sum(gradOut * x) and gradBetaOut = sum(gradOut) for every channel. outputMask
 * says which of the three are written, in this order; the others may be null, and so may gamma
 * (1). Data types: FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950, of all tensors the same. The
 * computation runs in DOUBLE and rounds once. Limits: group above 0 and a divisor of C; formats
 * not with the channels last and not private. A null outputMask, one of other than 3 values, and a
 * missing output that it asks for give 161002. An empty input: gradGammaOut and gradBetaOut become
 * 0.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGroupNormBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclTensor* input, const aclTensor* mean, const aclTensor* rstd,
    const aclTensor* gamma, int64_t N, int64_t C, int64_t HxW, int64_t group,
    const aclBoolArray* outputMask, aclTensor* gradInput, aclTensor* gradGammaOut,
    aclTensor* gradBetaOut, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGroupNormBackward(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor,
                                                       const aclrtStream stream);

ACLGRAD_END_DECLS
