/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradients of the layer normalization of a residual sum.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Of aclnnAddLayerNorm without bias, with n = (x1 + x2 - mean) * rstd and h = dy * gamma: dxOut =
 * rstd * (h - average(h) - n * average(h * n)) for every row, plus dsum, the gradient of the
 * output x; x1 and x2 both have it. dgammaOut = sum(dy * n) and dbetaOut = sum(dy) over the rows
 * in their order. mean and rstd are the forward's; rstd comes before mean here.
 *
 * Data types: FLOAT, FLOAT16, or BF16 on Atlas A2, A3 and 950, of x1, x2 and gamma freely; dy,
 * dsum and dxOut have that of x1 and x2, FLOAT where these differ; mean, rstd, dgammaOut and
 * dbetaOut are FLOAT. The computation runs in DOUBLE and rounds once. Ranks at most 8. Outputs
 * must not overlap other tensors. Without rows dgammaOut and dbetaOut are 0; rows without elements
 * succeed, and nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnAddLayerNormGradGetWorkspaceSize(
    const aclTensor* dy, const aclTensor* x1, const aclTensor* x2, const aclTensor* rstd,
    const aclTensor* mean, const aclTensor* gamma, const aclTensor* dsum, aclTensor* dxOut,
    aclTensor* dgammaOut, aclTensor* dbetaOut, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAddLayerNormGrad(void* workspace, uint64_t workspaceSize,
                                                      aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
