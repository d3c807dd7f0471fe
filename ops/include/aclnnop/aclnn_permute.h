/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reorders the dimensions of a tensor.
 *
 * No output may overlap an input.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64,
 * BOOL, COMPLEX64, COMPLEX128, and BF16 on Atlas A2, A3 and 950; out has the dtype of self.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out.size(i) = self.size(dims[i]): dimension i of out is dimension dims[i] of self. Values keep
 * every bit. dims names each dimension of self once; negative numbers count from the end.
 *
 * Limits: no dimension twice; ranks at most 8; entries in [-rank, rank - 1]. An empty self:
 * success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnPermuteGetWorkspaceSize(const aclTensor* self,
                                                             const aclIntArray* dims,
                                                             aclTensor* out,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnPermute(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, const aclrtStream stream);

ACLGRAD_END_DECLS
