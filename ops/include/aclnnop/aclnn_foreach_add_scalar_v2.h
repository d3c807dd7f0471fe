/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnAdds of each tensor of a list with one number. */
#pragma once

#include "aclnnop/aclnn_foreach_common.h" /* what holds for every function over lists */

ACLGRAD_BEGIN_DECLS

/*
 * out[i] = x[i] + scalar, as aclnnAdds gives it. Data types: FLOAT, FLOAT16, INT8, INT16, INT32,
 * INT64, UINT8, and BF16 on Atlas A2, A3 and 950.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachAddScalarV2GetWorkspaceSize(const aclTensorList* x,
                                                                        const aclScalar* scalar,
                                                                        aclTensorList* out,
                                                                        uint64_t* workspaceSize,
                                                                        aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachAddScalarV2(void* workspace, uint64_t workspaceSize,
                                                        aclOpExecutor* executor,
                                                        aclrtStream stream);

ACLGRAD_END_DECLS
