/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The k-th smallest element along a dimension.
 *
 * No output may overlap an input unless its comment says otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * values = the element that stands k-th, from 1 on, in aclnnSort's ascending order of those along
 * dim, indices = its place: a NaN counts as larger than any number, and equal elements keep their
 * order. 1 <= k <= self's size along dim. The dimension dim, in [-n, n-1] (n = self's rank, 1 for
 * 0-d), vanishes, or stays with size 1 when keepdim is set. It must not have size 0. Data types:
 * FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, and BF16 on Atlas A2, A3 and 950;
 * values has self's, indices is INT64 or INT32. Another empty self: success, nothing is written.
 * Limits: ranks at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnKthvalueGetWorkspaceSize(const aclTensor* self, int64_t k,
                                                              int64_t dim, bool keepdim,
                                                              aclTensor* values, aclTensor* indices,
                                                              uint64_t* workspaceSize,
                                                              aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnKthvalue(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
