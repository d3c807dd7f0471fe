/* SPDX-License-Identifier: Apache-2.0 */
/* Each tensor of a list copied, and converted. */
#pragma once

#include "aclnnop/aclnn_foreach_common.h" /* what holds for every function over lists */

ACLGRAD_BEGIN_DECLS

/*
 * out[i] = x[i], converted to the dtype of out as by aclnnInplaceCopy. The tensors of a list have
 * one dtype, which may be another in x than in out. Data types: FLOAT, DOUBLE, FLOAT16, INT8,
 * INT16, INT32, INT64, UINT8, BOOL, and BF16 on Atlas A2, A3 and 950.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachCopyGetWorkspaceSize(const aclTensorList* x,
                                                                 aclTensorList* out,
                                                                 uint64_t* workspaceSize,
                                                                 aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachCopy(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
