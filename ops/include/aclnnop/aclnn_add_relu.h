/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sum, cut off at 0.
 *
 *   out = max(self + alpha * other, 0)
 *
 * NaN stays. Integers wrap before they are cut off.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * The sum is computed in the dtype P that self and other promote to, as aclnnAdd's (aclnn_add.h).
 *
 * self, other FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8; BF16 (Ascend910B,
 *             Ascend910_93, Ascend950); rank 0 to 8
 * alpha       of a dtype that converts to P
 * out         what P converts to; the shape that self and other broadcast to; may be one of them
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnAddReluGetWorkspaceSize(const aclTensor* self,
                                                             const aclTensor* other,
                                                             const aclScalar* alpha, aclTensor* out,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAddRelu(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnAddRelu with out = selfRef.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceAddReluGetWorkspaceSize(aclTensor* selfRef,
                                                                    const aclTensor* other,
                                                                    const aclScalar* alpha,
                                                                    uint64_t* workspaceSize,
                                                                    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceAddRelu(void* workspace, uint64_t workspaceSize,
                                                    aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
