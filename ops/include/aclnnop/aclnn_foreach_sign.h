/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnSign of each tensor of a list. */
#pragma once

#include "aclnnop/aclnn_foreach_common.h" /* what holds for every function over lists */

ACLGRAD_BEGIN_DECLS

/*
 * out[i] = 1 where x[i] > 0, -1 where x[i] < 0, else x[i] itself, which is 0 or NaN, as aclnnSign
 * gives it. Data types: FLOAT, FLOAT16, INT8, INT16, INT32, INT64, UINT8, and BF16 on Atlas A2,
 * A3 and 950.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachSignGetWorkspaceSize(const aclTensorList* x,
                                                                 aclTensorList* out,
                                                                 uint64_t* workspaceSize,
                                                                 aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachSign(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
