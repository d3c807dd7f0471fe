/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sum of the diagonal of a matrix.
 *
 * No output may overlap an input unless its comment says otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = self[0][0] + self[1][1] + ..., each converted to out's dtype first; 0 where there is none.
 * self has rank 2, out one element in any shape. Real numbers are added in DOUBLE and rounded once,
 * integers wrap. Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, and
 * BF16 on Atlas A2, A3 and 950; self's converts to out's.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnTraceGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                           uint64_t* workspaceSize,
                                                           aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnTrace(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
