/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In which interval between boundaries numbers lie.
 *
 * No output may overlap an input unless its comment says otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * aclnnSearchSorted of self in boundaries, which have one dimension.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnBucketizeGetWorkspaceSize(
    const aclTensor* self, const aclTensor* boundaries, bool outInt32, bool right, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnBucketize(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
