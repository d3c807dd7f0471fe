/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether elements are less than others.
 *
 *   out = 1 for self < other, 0 otherwise
 *
 * Both count in the dtype that they promote to, BOOL as INT8. NaN is not less than anything.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self, other FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, UINT16, UINT32,
 *             UINT64; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * out         the same; COMPLEX64, COMPLEX128 (Ascend950); the shape that self and other broadcast
 * to; may be one of them
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLtTensorGetWorkspaceSize(const aclTensor* self,
                                                              const aclTensor* other,
                                                              aclTensor* out,
                                                              uint64_t* workspaceSize,
                                                              aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLtTensor(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnLtTensor with selfRef as both input and output, to whose shape other broadcasts.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceLtTensorGetWorkspaceSize(const aclTensor* selfRef,
                                                                     const aclTensor* other,
                                                                     uint64_t* workspaceSize,
                                                                     aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceLtTensor(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
