/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnTan of each tensor of a list. */
#pragma once

#include "aclnnop/aclnn_foreach_common.h" /* what holds for every function over lists */

ACLGRAD_BEGIN_DECLS

/*
 * out[i] = tan x[i], as aclnnTan gives it. Data types: FLOAT, FLOAT16, and BF16 on Atlas A2, A3
 * and 950.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachTanGetWorkspaceSize(const aclTensorList* x,
                                                                aclTensorList* out,
                                                                uint64_t* workspaceSize,
                                                                aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachTan(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
