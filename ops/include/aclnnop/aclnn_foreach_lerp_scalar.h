/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnLerps of two lists, tensor by tensor. */
#pragma once

#include "aclnnop/aclnn_foreach_common.h" /* what holds for every function over lists */

ACLGRAD_BEGIN_DECLS

/*
 * out[i] = x1[i] + weight * (x2[i] - x1[i]) where |weight| < 0.5, otherwise x2[i] - (1 - weight)
 * * (x2[i] - x1[i]), as aclnnLerps gives it. Data types: FLOAT, FLOAT16, and BF16 on Atlas A2, A3
 * and 950.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachLerpScalarGetWorkspaceSize(
    const aclTensorList* x1, const aclTensorList* x2, const aclScalar* weight, aclTensorList* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachLerpScalar(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
