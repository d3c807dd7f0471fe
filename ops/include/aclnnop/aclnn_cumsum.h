/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running sums along a dimension.
 *
 * Sums are taken one element after another, of real numbers in DOUBLE, of integers in INT64,
 * which wraps, and each is rounded once, or wraps, to out's dtype.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out[i] = self[0] + ... + self[i] along dimension dim. self is converted to dtype first. out's
 * dtype is dtype: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, COMPLEX64, COMPLEX128,
 * and BF16 on Atlas A2, A3 and 950; self may have any that converts to it. An empty self: success,
 * nothing is written. Limits: self's rank at most 8; dim in [-n, n-1] (n = 1 for 0-d).
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnCumsumGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                            aclDataType dtype, aclTensor* out,
                                                            uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnCumsum(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnCumsum with self in out's dtype. With exclusive, out[i] is the sum of the elements before i;
 * with reverse, elements are taken from the last on: out[i] = self[i] + ... + self[n-1]. Limits:
 * self's rank at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnCumsumV2GetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                              bool exclusive, bool reverse,
                                                              aclTensor* out,
                                                              uint64_t* workspaceSize,
                                                              aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnCumsumV2(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
