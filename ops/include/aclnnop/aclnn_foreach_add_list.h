/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnAdd of two lists, tensor by tensor; alpha lies on the device. */
#pragma once

#include "aclnnop/aclnn_foreach_common.h" /* what holds for every function over lists */

ACLGRAD_BEGIN_DECLS

/*
 * out[i] = x1[i] + alpha * x2[i], as aclnnAdd gives it. Data types: FLOAT, FLOAT16, INT8, INT16,
 * INT32, INT64, UINT8, and BF16 on Atlas A2, A3 and 950. alpha: a tensor of one element.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachAddListGetWorkspaceSize(
    const aclTensorList* x1, const aclTensorList* x2, const aclTensor* alpha, aclTensorList* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachAddList(void* workspace, uint64_t workspaceSize,
                                                    aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
