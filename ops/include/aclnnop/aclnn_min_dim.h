/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Smallest element along a dimension, and where it stands.
 *
 * No output may overlap an input unless its comment says otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = the smallest element of self along dim, indices = its place along dim: of equal elements
 * that of the first; of elements with a NaN among them the first NaN is taken. The dimension dim,
 * in [-n, n-1] (n = self's rank, 1 for 0-d), vanishes, or stays with size 1 when keepdim is set. It
 * must not have size 0. Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL,
 * and BF16 on Atlas A2, A3 and 950; out has self's. indices may have any dtype that INT64 converts
 * to; a place that it does not hold wraps. Another empty self: success, nothing is written. Limits:
 * ranks at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMinDimGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                            bool keepdim, aclTensor* out,
                                                            aclTensor* indices,
                                                            uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMinDim(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
