/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The different slices of a tensor along a dimension.
 *
 * No output may overlap an input unless its comment says otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * y = the slices of self along dimension dim, in [-n, n-1] (n = self's rank, 1 for 0-d), each once,
 * in lexicographic order; without sorted the order is free, and the same here. A slice with a NaN
 * is equal to none. yCounts[i] = how often slice i of y stands in self; with returnInverse,
 * yInverse[i] = the place in y of slice i of self; without, it is not looked at. y has self's
 * shape, the others self's size along dim; the task gives the objects of y and yCounts their true
 * shapes, with the number of slices of y in the place of that size, as aclnnUnique does. The
 * elements of y lie in the row-major order of its true shape at the beginning of its view, which
 * should be contiguous. Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL,
 * and BF16 on Atlas A2, A3 and 950; y has self's, yInverse and yCounts are INT64. Limits: ranks at
 * most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnUniqueDimGetWorkspaceSize(
    const aclTensor* self, bool sorted, bool returnInverse, int64_t dim, aclTensor* y,
    aclTensor* yInverse, aclTensor* yCounts, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnUniqueDim(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
