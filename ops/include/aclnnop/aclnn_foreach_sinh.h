/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnSinh of each tensor of a list. */
#pragma once

#include "aclnnop/aclnn_foreach_common.h" /* what holds for every function over lists */

ACLGRAD_BEGIN_DECLS

/*
 * out[i] = sinh x[i], as aclnnSinh gives it. Data types: FLOAT, FLOAT16, and BF16 on Atlas A2, A3
 * and 950.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachSinhGetWorkspaceSize(const aclTensorList* x,
                                                                 aclTensorList* out,
                                                                 uint64_t* workspaceSize,
                                                                 aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachSinh(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
