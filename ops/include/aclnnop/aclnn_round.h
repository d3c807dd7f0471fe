/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nearest integer, or the nearest number with so many decimals. Of two that are as near the
 * even one is taken: 0.5 gives 0, 1.5 and 2.5 give 2.
 *
 *   round(self)                                 0 decimals
 *   round(self * 10^decimals) / 10^decimals     decimals > 0
 *   round(self / 10^-decimals) * 10^-decimals   decimals < 0
 *
 * Between -0.5 and 0 the nearest integer is -0. Infinities and NaN stay. Each step is rounded
 * to FLOAT, for DOUBLE to DOUBLE: where self * 10^decimals is beyond its range the result is an
 * infinity, and where 10^|decimals| itself is, NaN. Integers are copied, but rounded for
 * decimals < 0: 15 and 25 give 20 for -1. Empty tensors: success, nothing is written.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self, out   FLOAT, FLOAT16, DOUBLE, INT32, INT64; BF16 (Ascend910B, Ascend910_93, Ascend950);
 *             rank 0 to 8; self must convert to out's dtype
 * out         shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnRoundGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                           uint64_t* workspaceSize,
                                                           aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnRound(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnRound with selfRef as both input and output.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceRoundGetWorkspaceSize(aclTensor* selfRef,
                                                                  uint64_t* workspaceSize,
                                                                  aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceRound(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream);

/*
 * self, out   FLOAT, FLOAT16, DOUBLE, INT32, INT64; BF16 (Ascend910B, Ascend910_93, Ascend950);
 *             rank 0 to 8; self must convert to out's dtype
 * decimals    how many decimals are kept, or with a minus how many digits before them are not
 * out         shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnRoundDecimalsGetWorkspaceSize(const aclTensor* self,
                                                                   int64_t decimals, aclTensor* out,
                                                                   uint64_t* workspaceSize,
                                                                   aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnRoundDecimals(void* workspace, uint64_t workspaceSize,
                                                   aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnRoundDecimals with selfRef as both input and output.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceRoundDecimalsGetWorkspaceSize(aclTensor* selfRef,
                                                                          int64_t decimals,
                                                                          uint64_t* workspaceSize,
                                                                          aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceRoundDecimals(void* workspace, uint64_t workspaceSize,
                                                          aclOpExecutor* executor,
                                                          aclrtStream stream);

ACLGRAD_END_DECLS
