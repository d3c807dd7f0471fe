/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnAddcmul of three lists, tensor by tensor. */
#pragma once

#include "aclnnop/aclnn_foreach_common.h" /* what holds for every function over lists */

ACLGRAD_BEGIN_DECLS

/*
 * out[i] = x1[i] + scalar * x2[i] * x3[i], as aclnnAddcmul gives it. Data types: FLOAT, FLOAT16,
 * and BF16 on Atlas A2, A3 and 950.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachAddcmulScalarV2GetWorkspaceSize(
    const aclTensorList* x1, const aclTensorList* x2, const aclTensorList* x3,
    const aclScalar* scalar, aclTensorList* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachAddcmulScalarV2(void* workspace, uint64_t workspaceSize,
                                                            aclOpExecutor* executor,
                                                            aclrtStream stream);

ACLGRAD_END_DECLS
