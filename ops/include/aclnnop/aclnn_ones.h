/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ones.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * selfRef = 1. Data types: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16,
 * UINT32, UINT64, BOOL, COMPLEX64, COMPLEX128. Limits: rank at most 8. An empty selfRef: success.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceOneGetWorkspaceSize(aclTensor* selfRef,
                                                                uint64_t* workspaceSize,
                                                                aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceOne(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
