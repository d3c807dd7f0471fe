/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnPowTensorScalar of each tensor of a list with one number, which lies on the device. */
#pragma once

#include "aclnnop/aclnn_foreach_common.h" /* what holds for every function over lists */

ACLGRAD_BEGIN_DECLS

/*
 * out[i] = x[i]^scalar, as aclnnPowTensorScalar gives it. Data types: FLOAT, FLOAT16, and BF16 on
 * Atlas A2, A3 and 950. scalar: a tensor of one element.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachPowScalarGetWorkspaceSize(const aclTensorList* x,
                                                                      const aclTensor* scalar,
                                                                      aclTensorList* out,
                                                                      uint64_t* workspaceSize,
                                                                      aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachPowScalar(void* workspace, uint64_t workspaceSize,
                                                      aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
