/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnClampMin of each tensor of a list with one number. */
#pragma once

#include "aclnnop/aclnn_foreach_common.h" /* what holds for every function over lists */

ACLGRAD_BEGIN_DECLS

/*
 * out[i] = the larger of x[i] and scalar; a NaN in x[i] stays, as aclnnClampMin gives it. Data
 * types: FLOAT, FLOAT16, INT32, and BF16 on Atlas A2, A3 and 950.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachMaximumScalarV2GetWorkspaceSize(
    const aclTensorList* x, const aclScalar* scalar, aclTensorList* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachMaximumScalarV2(void* workspace, uint64_t workspaceSize,
                                                            aclOpExecutor* executor,
                                                            aclrtStream stream);

ACLGRAD_END_DECLS
