/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places of the elements in order along a dimension.
 *
 * No output may overlap an input unless its comment says otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * The indices that aclnnSort gives, in INT64, for the same self, dim and descending.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnArgsortGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                             bool descending, aclTensor* indices,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnArgsort(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
