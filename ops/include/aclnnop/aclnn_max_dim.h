/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Largest element along a dimension, and where it stands.
 *
 * No output may overlap an input unless its comment says otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = the largest element of self along dim, indices = its place along dim: of equal elements
 * that of the first; of elements with a NaN among them the first NaN is taken. The dimension dim,
 * in [-n, n-1] (n = self's rank, 1 for 0-d), vanishes, or stays with size 1 when keepdim is set.
 * Data types: FLOAT, FLOAT16, INT64, INT32 (in the documents on 950 only), BOOL, and BF16 on Atlas
 * A2, A3 and 950; out has self's. indices may have any dtype that INT64 converts to; a place that
 * it does not hold wraps. An empty self: success, nothing is written. Limits: ranks at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMaxDimGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                            bool keepdim, aclTensor* out,
                                                            aclTensor* indices,
                                                            uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMaxDim(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
