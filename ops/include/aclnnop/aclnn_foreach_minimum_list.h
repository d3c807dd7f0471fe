/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnMinimum of two lists, tensor by tensor. */
#pragma once

#include "aclnnop/aclnn_foreach_common.h" /* what holds for every function over lists */

ACLGRAD_BEGIN_DECLS

/*
 * out[i] = the smaller of x1[i] and x2[i], NaN where one of them is, as aclnnMinimum gives it.
 * Data types: FLOAT, FLOAT16, INT32, and BF16 on Atlas A2, A3 and 950.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachMinimumListGetWorkspaceSize(const aclTensorList* x1,
                                                                        const aclTensorList* x2,
                                                                        aclTensorList* out,
                                                                        uint64_t* workspaceSize,
                                                                        aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachMinimumList(void* workspace, uint64_t workspaceSize,
                                                        aclOpExecutor* executor,
                                                        aclrtStream stream);

ACLGRAD_END_DECLS
