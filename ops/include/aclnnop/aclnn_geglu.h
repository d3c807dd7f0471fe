/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GEGLU: self is split along `dim` into two equal halves A (first) and B (second).
 *
 *   activateLeft    outGelu    out
 *   false           gelu(B)    A * gelu(B)
 *   true            gelu(A)    gelu(A) * B
 *
 *   approximate 0   gelu(x) = x * Phi(x),  Phi the normal distribution function
 *   approximate 1   gelu(x) = x / (1 + e^(-2 u)),  u = sqrt(2/pi) * (x + 0.044715 x^3)
 *
 * gelu(-infinity) = 0, gelu(+infinity) = +infinity, NaN stays NaN. `out` uses gelu before its
 * rounding to the output's dtype.
 *
 * No output may overlap another tensor.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * aclnnGeGluV3 with activateLeft = false.
 *
 * self          FLOAT16, FLOAT, BF16 (Ascend910B, Ascend910_93, Ascend950); rank up to 8, an even
 *               size along dim
 * dim           -n to n-1 for rank n (n = 1 for a 0-d self)
 * approximate   0 or 1; on Ascend310P only 1
 * out, outGelu  dtype of self (not compared for an empty or 0-d self); shape of self with the size
 *               along dim halved.
 *
 * A 0-d self passes only with one-dimensional outputs of size 0; nothing is computed then.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGeGluGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                           int64_t approximate, aclTensor* out,
                                                           aclTensor* outGelu,
                                                           uint64_t* workspaceSize,
                                                           aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGeGlu(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream);

/*
 * As aclnnGeGlu, with the half that goes through gelu given by activateLeft.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGeGluV3GetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                             int64_t approximate, bool activateLeft,
                                                             aclTensor* out, aclTensor* outGelu,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGeGluV3(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
