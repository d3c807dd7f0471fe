/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subtraction from another.
 *
 *   out = other - alpha * self
 *
 * Integers wrap.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Computed in the dtype P that self and other promote to, to which alpha is converted; the exact
 * result is rounded once.
 *
 * self, other FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8; BF16 (Ascend910B,
 *             Ascend910_93, Ascend950); rank 0 to 8
 * alpha       of a dtype that converts to P
 * out         what P converts to; the shape that self and other broadcast to; may be one of them
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnRsubGetWorkspaceSize(const aclTensor* self,
                                                          const aclTensor* other,
                                                          const aclScalar* alpha, aclTensor* out,
                                                          uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnRsub(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnRsub with a number for other. P is that of aclnnSubs (aclnn_sub.h), and no BOOL or complex
 * dtype; out has self's shape.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnRsubsGetWorkspaceSize(const aclTensor* self,
                                                           const aclScalar* other,
                                                           const aclScalar* alpha, aclTensor* out,
                                                           uint64_t* workspaceSize,
                                                           aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnRsubs(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
