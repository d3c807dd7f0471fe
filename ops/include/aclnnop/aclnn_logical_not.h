/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether elements are false.
 *
 *   out = 1 where self is 0, 0 elsewhere
 *
 * NaN is true, -0 is not, and a complex number is where either part is. Empty tensors: success,
 * nothing is written.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64,
 *             COMPLEX128; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * out         BOOL or another of these dtypes; shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLogicalNotGetWorkspaceSize(const aclTensor* self,
                                                                aclTensor* out,
                                                                uint64_t* workspaceSize,
                                                                aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLogicalNot(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnLogicalNot with selfRef as both input and output: 0 or 1 in its dtype.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceLogicalNotGetWorkspaceSize(aclTensor* selfRef,
                                                                       uint64_t* workspaceSize,
                                                                       aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceLogicalNot(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
