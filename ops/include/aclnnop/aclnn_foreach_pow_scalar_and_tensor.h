/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnPowScalarTensor of a number and each tensor of a list. */
#pragma once

#include "aclnnop/aclnn_foreach_common.h" /* what holds for every function over lists */

ACLGRAD_BEGIN_DECLS

/*
 * out[i] = scalar^x[i], as aclnnPowScalarTensor gives it. Data types: FLOAT, FLOAT16, INT32, and
 * BF16 on Atlas A2, A3 and 950. INT32: a negative power is 0 unless scalar is 1 or -1.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachPowScalarAndTensorGetWorkspaceSize(
    const aclScalar* scalar, const aclTensorList* x, aclTensorList* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachPowScalarAndTensor(void* workspace,
                                                               uint64_t workspaceSize,
                                                               aclOpExecutor* executor,
                                                               aclrtStream stream);

ACLGRAD_END_DECLS
