/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layer normalization of a residual sum.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * yOut = (x - mean) * rstd * gamma + beta of x = x1 + x2 + biasOptional before it is rounded, with
 * the mean and rstd = 1 / sqrt(variance + epsilon) of every row; a row stretches over the
 * dimensions of gamma, the last of x1, at least one. With additionalOutput xOut becomes x; without
 * it xOut may be null and is not written. biasOptional broadcasts to x1; null stands for 0. beta
 * has gamma's shape; meanOut and rstdOut have x1's without gamma's dimensions, and a 1 for each of
 * those, for some or for none.
 *
 * Data types: FLOAT, FLOAT16, or BF16 on Atlas A2, A3 and 950, of each input freely; yOut and xOut
 * have that of x1 and x2, FLOAT where these differ; meanOut and rstdOut are FLOAT. The computation
 * runs in DOUBLE and rounds once. Ranks at most 8. Outputs must not overlap other tensors. Without
 * rows: success, nothing is written. Rows without elements: meanOut and rstdOut are NaN.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnAddLayerNormGetWorkspaceSize(
    const aclTensor* x1, const aclTensor* x2, const aclTensor* gamma, const aclTensor* beta,
    const aclTensor* biasOptional, double epsilon, bool additionalOutput, aclTensor* yOut,
    aclTensor* meanOut, aclTensor* rstdOut, aclTensor* xOut, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAddLayerNorm(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
