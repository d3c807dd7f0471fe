/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tensor's number where a mask says so.
 *
 *   selfRef = value where mask is true
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * selfRef     FLOAT, FLOAT16, INT8, INT32, INT64, BOOL; BF16 (Ascend910B, Ascend910_93, Ascend950);
 *             as an addition to the vendor's list, DOUBLE; rank 0 to 8
 * mask        BOOL; broadcasts to selfRef's shape
 * value       one of the same data types, not necessarily selfRef's, to which it is converted (for
 *             integers it is cut off and wraps); rank 0
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceMaskedFillTensorGetWorkspaceSize(
    aclTensor* selfRef, const aclTensor* mask, const aclTensor* value, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceMaskedFillTensor(void* workspace,
                                                             uint64_t workspaceSize,
                                                             aclOpExecutor* executor,
                                                             aclrtStream stream);

ACLGRAD_END_DECLS
