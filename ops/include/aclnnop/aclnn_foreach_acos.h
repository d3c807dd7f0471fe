/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnAcos of each tensor of a list. */
#pragma once

#include "aclnnop/aclnn_foreach_common.h" /* what holds for every function over lists */

ACLGRAD_BEGIN_DECLS

/*
 * out[i] = arccos x[i], NaN beyond [-1, 1], as aclnnAcos gives it. Data types: FLOAT, FLOAT16,
 * and BF16 on Atlas A2, A3 and 950.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachAcosGetWorkspaceSize(const aclTensorList* x,
                                                                 aclTensorList* out,
                                                                 uint64_t* workspaceSize,
                                                                 aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachAcos(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
