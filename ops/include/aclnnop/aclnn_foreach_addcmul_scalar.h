/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnAddcmul of three lists, tensor by tensor; the factor lies on the device. */
#pragma once

#include "aclnnop/aclnn_foreach_common.h" /* what holds for every function over lists */

ACLGRAD_BEGIN_DECLS

/*
 * out[i] = x1[i] + scalar * x2[i] * x3[i], as aclnnAddcmul gives it. Data types: FLOAT, FLOAT16,
 * INT32, and BF16 on Atlas A2, A3 and 950. scalar: a tensor of one element.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachAddcmulScalarGetWorkspaceSize(
    const aclTensorList* x1, const aclTensorList* x2, const aclTensorList* x3,
    const aclTensor* scalar, aclTensorList* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachAddcmulScalar(void* workspace, uint64_t workspaceSize,
                                                          aclOpExecutor* executor,
                                                          aclrtStream stream);

ACLGRAD_END_DECLS
