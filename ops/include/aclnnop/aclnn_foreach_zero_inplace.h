/* SPDX-License-Identifier: Apache-2.0 */
/* Each tensor of a list set to 0. */
#pragma once

#include "aclnnop/aclnn_foreach_common.h" /* what holds for every function over lists */

ACLGRAD_BEGIN_DECLS

/*
 * x[i] = 0. Data types: FLOAT, DOUBLE, FLOAT16, BF16, INT8, INT16, INT32, INT64, UINT8, UINT16,
 * BOOL, COMPLEX64, COMPLEX128.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachZeroInplaceGetWorkspaceSize(aclTensorList* x,
                                                                        uint64_t* workspaceSize,
                                                                        aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachZeroInplace(void* workspace, uint64_t workspaceSize,
                                                        aclOpExecutor* executor,
                                                        aclrtStream stream);

ACLGRAD_END_DECLS
