/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnAddcmul of three lists, tensor by tensor, with a factor of its own for each. */
#pragma once

#include "aclnnop/aclnn_foreach_common.h" /* what holds for every function over lists */

ACLGRAD_BEGIN_DECLS

/*
 * out[i] = x1[i] + scalars[i] * x2[i] * x3[i], as aclnnAddcmul gives it. Data types: FLOAT,
 * FLOAT16, and BF16 on Atlas A2, A3 and 950. scalars: a tensor of one dimension on the device, in
 * the dtype of the lists, with an element for each of their tensors.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachAddcmulScalarListGetWorkspaceSize(
    const aclTensorList* x1, const aclTensorList* x2, const aclTensorList* x3,
    const aclTensor* scalars, aclTensorList* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachAddcmulScalarList(void* workspace,
                                                              uint64_t workspaceSize,
                                                              aclOpExecutor* executor,
                                                              aclrtStream stream);

ACLGRAD_END_DECLS
