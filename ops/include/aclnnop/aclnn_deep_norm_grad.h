/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient of layer normalization of a weighted sum (aclnn_deep_norm.h).
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * With n = (alphaValue * x + gx - mean) * rstd and h = dy * gamma: dgx = rstd * (h - average(h) -
 * n * average(h * n)) of every row, dx = alphaValue * dgx, dbeta = sum(dy) and dgamma = sum(dy * n)
 * over the rows. dy, x, gx, gamma, dx and dgx are alike, FLOAT, FLOAT16, or BF16 on Atlas A2, A3
 * and 950; mean, rstd, dbeta and dgamma are FLOAT. Shapes are as of the forward, those of gradients
 * as of what they belong to. The computation runs in DOUBLE and rounds once. Outputs must not
 * overlap inputs. Without rows dbeta and dgamma become 0.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnDeepNormGradGetWorkspaceSize(
    const aclTensor* dy, const aclTensor* x, const aclTensor* gx, const aclTensor* gamma,
    const aclTensor* mean, const aclTensor* rstd, double alphaValue, aclTensor* dxOut,
    aclTensor* dgxOut, aclTensor* dbetaOut, aclTensor* dgammaOut, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnDeepNormGrad(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
