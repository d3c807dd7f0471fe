/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Root-mean-square normalization.
 *
 * A shape that breaks a rule below gives 561002.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * yOut = x * rstd * gamma and rstdOut = rstd = 1 / sqrt(average(x^2) + epsilon) over the last
 * dimensions, those of gamma. rstdOut has x's sizes before these, and behind them a 1 for each of
 * these, for some or for none. Sums are taken in DOUBLE in a fixed order, results rounded once,
 * 16-bit ones by way of FLOAT. Data types: x FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950;
 * gamma x's or FLOAT; rstd FLOAT; yOut x's. An empty x: success, nothing is written. Limits: x's
 * rank at most 8; gamma has the last sizes of x, at least one.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnRmsNormGetWorkspaceSize(
    const aclTensor* x, const aclTensor* gamma, double epsilon, const aclTensor* yOut,
    const aclTensor* rstdOut, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnRmsNorm(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
