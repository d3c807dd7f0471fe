/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smaller of two elements.
 *
 * Data types: FLOAT, FLOAT16, INT32, INT64, INT16, INT8, UINT8, DOUBLE, BOOL, and BF16 on Atlas A2,
 * A3 and 950.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = the smaller of self and other, in P = PromoteType(self, other); in BOOL a logical and. A
 * NaN in either gives NaN. self and other broadcast to exactly out's shape, ranks at most 8. P
 * must be convertible to out's dtype. An empty self or other: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMinimumGetWorkspaceSize(const aclTensor* self,
                                                             const aclTensor* other, aclTensor* out,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMinimum(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
