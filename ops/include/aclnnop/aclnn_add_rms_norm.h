/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Root-mean-square normalization of a residual sum.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * xOut = x1 + x2 and yOut = x * rstd * gamma of that sum x before it is rounded, with the rstd = 1
 * / sqrt(mean(x^2) + epsilon) of every row; a row stretches over the dimensions of gamma, the last
 * of x1, at least one. x1, x2, gamma, yOut and xOut are FLOAT, FLOAT16, or BF16 on Atlas A2, A3
 * and 950, all alike; rstdOut is FLOAT, of x1's sizes before those dimensions, and behind them a 1
 * for each of those, for some or for none. The gradient of the sum is aclnnRmsNormGrad of xOut,
 * and both inputs have it. The computation runs in DOUBLE and rounds once. Ranks at most 8.
 * Outputs must not overlap other tensors. Without rows: success, nothing is written. Rows without
 * elements: rstdOut is NaN.
 */
ACL_FUNC_VISIBILITY aclnnStatus
aclnnAddRmsNormGetWorkspaceSize(const aclTensor* x1, const aclTensor* x2, const aclTensor* gamma,
                                double epsilon, aclTensor* yOut, aclTensor* rstdOut,
                                aclTensor* xOut, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAddRmsNorm(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
