/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnDiv of two lists, tensor by tensor. */
#pragma once

#include "aclnnop/aclnn_foreach_common.h" /* what holds for every function over lists */

ACLGRAD_BEGIN_DECLS

/*
 * out[i] = x1[i] / x2[i], as aclnnDiv gives it. Data types: FLOAT, FLOAT16, and BF16 on Atlas A2,
 * A3 and 950.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachDivListGetWorkspaceSize(const aclTensorList* x1,
                                                                    const aclTensorList* x2,
                                                                    aclTensorList* out,
                                                                    uint64_t* workspaceSize,
                                                                    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachDivList(void* workspace, uint64_t workspaceSize,
                                                    aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
