/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnMuls of each tensor of a list with a number of its own. */
#pragma once

#include "aclnnop/aclnn_foreach_common.h" /* what holds for every function over lists */

ACLGRAD_BEGIN_DECLS

/*
 * out[i] = x[i] * scalars[i], as aclnnMuls gives it. Data types: FLOAT, FLOAT16, and BF16 on
 * Atlas A2, A3 and 950. There is a scalar for each tensor; they may differ in dtype.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachMulScalarListGetWorkspaceSize(
    const aclTensorList* x, const aclScalarList* scalars, aclTensorList* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachMulScalarList(void* workspace, uint64_t workspaceSize,
                                                          aclOpExecutor* executor,
                                                          aclrtStream stream);

ACLGRAD_END_DECLS
