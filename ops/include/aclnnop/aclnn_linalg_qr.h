/* SPDX-License-Identifier: Apache-2.0 */
/*
 * QR decomposition.
 *
 * Data types: FLOAT and DOUBLE, of all tensors the same. The computation runs in DOUBLE and rounds
 * once. No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self = Q R for each matrix [M,N] of self's last two dimensions, by Householder reflections with
 * the signs of LAPACK: a diagonal element of R has the other sign than the element that it is made
 * of, unless all below that are 0. With K = min(M, N), mode 0 gives Q [..,M,K] and R [..,K,N]; mode
 * 1 Q [..,M,M] and R [..,M,N]; mode 2 R [..,K,N] only, and Q of shape [0]. Matrices of any rank are
 * decomposed. Limits: rank from 2 to 8; mode from 0 to 2; self not empty (161002).
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLinalgQrGetWorkspaceSize(const aclTensor* self, int64_t mode,
                                                              aclTensor* Q, aclTensor* R,
                                                              uint64_t* workspaceSize,
                                                              aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLinalgQr(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
