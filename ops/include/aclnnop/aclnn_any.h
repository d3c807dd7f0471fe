/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether any elements over dimensions are true.
 *
 * No output may overlap an input unless its comment says otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = whether any elements of self over the dimensions in dim are true: not 0; NaN is true. dim
 * lists dimensions in [-n, n-1] (n = self's rank, 1 for 0-d), each once; an empty array means all
 * of them. Reduced dimensions vanish, or stay with size 1 when keepdim is set; a result of one
 * element may have any shape of one element. Data types of self: FLOAT, FLOAT16, DOUBLE, INT8,
 * INT16, INT32, INT64, UINT8, BOOL, COMPLEX64, COMPLEX128, and BF16 on Atlas A2, A3 and 950; out is
 * BOOL or UINT8. Over no elements out is false. Limits: dim in range, no dimension twice; ranks at
 * most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnAnyGetWorkspaceSize(const aclTensor* self,
                                                         const aclIntArray* dim, bool keepdim,
                                                         aclTensor* out, uint64_t* workspaceSize,
                                                         aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAny(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
