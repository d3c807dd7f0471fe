/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradients of root-mean-square normalization.
 *
 * A shape that breaks a rule below gives 561002.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Of aclnnRmsNorm, with the rstd that it has written, n = x * rstd and h = dy * gamma: dxOut =
 * rstd * (h - n * average(h * n)) for every row; dgammaOut = sum(dy * n) over the rows. Sums are
 * taken in DOUBLE in a fixed order, results rounded once, 16-bit ones by way of FLOAT. Data types:
 * x FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950; gamma x's or FLOAT; rstd FLOAT; dy and dxOut
 * x's; dgammaOut FLOAT, whatever gamma is. No rows: dgammaOut becomes 0. Limits: x's rank at most
 * 8; gamma has the last sizes of x, at least one.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnRmsNormGradGetWorkspaceSize(
    const aclTensor* dy, const aclTensor* x, const aclTensor* rstd, const aclTensor* gamma,
    const aclTensor* dxOut, const aclTensor* dgammaOut, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnRmsNormGrad(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
