/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The different elements of a tensor, and how often each stands there.
 *
 * No output may overlap an input unless its comment says otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * aclnnUnique; with returnCounts, yCounts, of y's shape and INT64, has how often each element of y
 * stands in self, and gets y's shape; without, it is not looked at.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnUnique2GetWorkspaceSize(
    const aclTensor* self, bool sorted, bool returnInverse, bool returnCounts, aclTensor* y,
    aclTensor* yInverse, aclTensor* yCounts, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnUnique2(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
