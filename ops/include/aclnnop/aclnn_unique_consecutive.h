/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tensor without elements, or slices, that are equal to the one before.
 *
 * No output may overlap an input unless its comment says otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * y = the elements of self in row-major order without those that are equal to the one before; with
 * dim other than 1000 the slices along dimension dim, in [-n, n-1] (n = self's rank, 1 for 0-d).
 * Each NaN is different. With returnInverse, yInverse has the place in y of each element, or slice;
 * with returnCounts, yCounts has how many elements each of y stands for. Without, they are not
 * looked at. Shapes, true shapes and data types are those of aclnnUnique2, or with dim those of
 * aclnnUniqueDim.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnUniqueConsecutiveGetWorkspaceSize(
    const aclTensor* self, bool returnInverse, bool returnCounts, int64_t dim, aclTensor* y,
    aclTensor* yInverse, aclTensor* yCounts, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnUniqueConsecutive(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
