/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements of one tensor or another.
 *
 *   out = self where condition is not 0, other elsewhere
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * condition   BOOL, UINT8
 * self, other, out
 *             FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64,
 * BOOL, COMPLEX64, COMPLEX128; BF16 (Ascend910B, Ascend910_93, Ascend950); self and other must
 *             promote to one dtype, which is converted to out's
 * all         rank 0 to 8
 * out         the shape that the three broadcast to; may be one of them
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSWhereGetWorkspaceSize(const aclTensor* condition,
                                                            const aclTensor* self,
                                                            const aclTensor* other, aclTensor* out,
                                                            uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSWhere(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
