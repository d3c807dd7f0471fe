/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layer normalization of a weighted sum (Wang et al. 2022).
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * y = (s - mean) * rstd * gamma + beta of s = alphaValue * x + gx, with the mean and rstd = 1 /
 * sqrt(variance + epsilonValue) of every row; a row stretches over the dimensions of gamma, the
 * last of x, at least one. x, gx, beta, gamma and y are FLOAT, FLOAT16, or BF16 on Atlas A2, A3
 * and 950, all alike; mean and rstd are FLOAT, of x's sizes before those dimensions, and behind
 * them a 1 for each of those, for some or for none. beta has gamma's shape. The computation runs
 * in DOUBLE and rounds once. Ranks at most 8. Outputs must not overlap inputs. Without rows:
 * success, nothing is written. Rows without elements: mean and rstd are NaN.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnDeepNormGetWorkspaceSize(
    const aclTensor* x, const aclTensor* gx, const aclTensor* beta, const aclTensor* gamma,
    double alphaValue, double epsilonValue, aclTensor* meanOut, aclTensor* rstdOut, aclTensor* yOut,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnDeepNorm(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
