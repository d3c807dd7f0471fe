/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running largest elements along a dimension, and where they stand.
 *
 * No output may overlap an input unless its comment says otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * values[i] = the largest of self[0], ..., self[i] along dimension dim, in [-n, n-1] (n = self's
 * rank, 1 for 0-d), and indices[i] its place: of equal elements that of the last, and from the
 * first NaN on that of the last NaN. Both have self's shape. Data types: FLOAT, FLOAT16, DOUBLE,
 * INT8, INT16, INT32, INT64, UINT8, BOOL, and BF16 on Atlas A2, A3 and 950; values has self's,
 * indices is INT64 or INT32. An empty self: success, nothing is written. Limits: ranks at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnCummaxGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                            aclTensor* values, aclTensor* indices,
                                                            uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnCummax(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
