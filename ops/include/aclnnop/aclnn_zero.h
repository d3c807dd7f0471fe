/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Zeros.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * selfRef = 0. Data types: INT8, INT16, INT32, INT64, UINT8, UINT16, FLOAT, FLOAT16, BF16, DOUBLE,
 * BOOL, COMPLEX64, COMPLEX128. Any rank.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceZeroGetWorkspaceSize(aclTensor* selfRef,
                                                                 uint64_t* workspaceSize,
                                                                 aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceZero(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
