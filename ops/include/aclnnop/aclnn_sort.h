/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements in order along a dimension, and where they stood.
 *
 * No output may overlap an input unless its comment says otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * values = the elements of self in ascending, or descending, order along dimension dim, in [-n,
 * n-1] (n = self's rank, 1 for 0-d); indices = their places in self. Equal elements keep their
 * order, whether or not stable is set; -0 and +0 are equal. A NaN counts as larger than any number.
 * Both outputs have self's shape. Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64,
 * UINT8, BOOL, and BF16 on Atlas A2, A3 and 950; values has self's, indices is INT64. An empty
 * self: success, nothing is written. Limits: ranks at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSortGetWorkspaceSize(const aclTensor* self, bool stable,
                                                          int64_t dim, bool descending,
                                                          aclTensor* values, aclTensor* indices,
                                                          uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSort(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
