/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether two tensors are the same.
 *
 *   out = 1 if self and other have one shape and self = other in every element, 0 if not
 *
 * Elements are compared in the dtype that both promote to. NaN is equal to nothing, -0 to 0.
 * Two empty tensors of one shape are the same; out is written for them, too.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self, other FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64,
 *             BOOL, COMPLEX64, COMPLEX128; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0
 *             to 8
 * out         BOOL; one element, of any rank
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnEqualGetWorkspaceSize(const aclTensor* self,
                                                           const aclTensor* other, aclTensor* out,
                                                           uint64_t* workspaceSize,
                                                           aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnEqual(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
