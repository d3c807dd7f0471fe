/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layer normalization.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Over the last dimensions of input, of the sizes normalizedShape (1 to 8 of them), with N
 * elements: out = (x - mean) * rstd * weight + bias, rstd = 1 / sqrt(variance + eps), of the mean
 * and the population variance of each of the M rows. weight and bias, of the size normalizedShape,
 * may be null (1 and 0); so may meanOut and rstdOut, of M elements each, which then are not
 * written. Data types: FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950, each tensor its own; but
 * weight and bias have input's or FLOAT, and the same if both are given. The computation runs in
 * DOUBLE and rounds once, 16-bit results by way of FLOAT. eps may be anything. Limits: ranks at
 * most 8; normalizedShape has 1 to 8 sizes, the last of input. M = 0: success, nothing is written.
 * N = 0: meanOut becomes 0 and rstdOut NaN.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLayerNormGetWorkspaceSize(
    const aclTensor* input, const aclIntArray* normalizedShape, const aclTensor* weightOptional,
    const aclTensor* biasOptional, double eps, aclTensor* out, aclTensor* meanOutOptional,
    aclTensor* rstdOutOptional, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLayerNorm(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
