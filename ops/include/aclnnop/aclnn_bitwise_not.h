/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every bit of an integer in two's complement turned over, and the negation of a truth value.
 *
 *   out = ~self
 *
 * Floating and complex dtypes are refused. Empty tensors: success, nothing is written.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        INT8, INT16, INT32, INT64, UINT8, BOOL; rank 0 to 8
 * out         one of these, to which self's dtype converts; shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnBitwiseNotGetWorkspaceSize(const aclTensor* self,
                                                                aclTensor* out,
                                                                uint64_t* workspaceSize,
                                                                aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnBitwiseNot(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
