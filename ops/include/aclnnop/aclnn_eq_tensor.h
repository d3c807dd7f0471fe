/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether elements are equal to others.
 *
 *   out = 1 for self == other, 0 otherwise
 *
 * Both count in the dtype that they promote to, BOOL as INT8. NaN equals nothing, itself neither.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self, other FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64,
 *             COMPLEX128; BF16 (Ascend910B, Ascend910_93, Ascend950); UINT16, UINT32, UINT64
 *             (Ascend950); rank 0 to 8
 * out         the same; the shape that self and other broadcast to;
 *             may be one of them
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnEqTensorGetWorkspaceSize(const aclTensor* self,
                                                              const aclTensor* other,
                                                              aclTensor* out,
                                                              uint64_t* workspaceSize,
                                                              aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnEqTensor(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnEqTensor with selfRef as both input and output, to whose shape other broadcasts.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceEqTensorGetWorkspaceSize(const aclTensor* selfRef,
                                                                     const aclTensor* other,
                                                                     uint64_t* workspaceSize,
                                                                     aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceEqTensor(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
