/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnMaximum of two lists, tensor by tensor. */
#pragma once

#include "aclnnop/aclnn_foreach_common.h" /* what holds for every function over lists */

ACLGRAD_BEGIN_DECLS

/*
 * out[i] = the larger of x1[i] and x2[i], NaN where one of them is, as aclnnMaximum gives it.
 * Data types: FLOAT, FLOAT16, INT32, and BF16 on Atlas A2, A3 and 950.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachMaximumListGetWorkspaceSize(const aclTensorList* x1,
                                                                        const aclTensorList* x2,
                                                                        aclTensorList* out,
                                                                        uint64_t* workspaceSize,
                                                                        aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachMaximumList(void* workspace, uint64_t workspaceSize,
                                                        aclOpExecutor* executor,
                                                        aclrtStream stream);

ACLGRAD_END_DECLS
