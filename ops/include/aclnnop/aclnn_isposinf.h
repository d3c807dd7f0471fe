/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether elements are positive infinity.
 *
 *   out = 1 where self = +infinity, 0 elsewhere
 *
 * Integers are not. Complex dtypes are refused. Empty tensors: success, nothing is written.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL; BF16 (Ascend910B,
 *             Ascend910_93, Ascend950); rank 0 to 8
 * out         BOOL or another of these dtypes; shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnIsPosInfGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                              uint64_t* workspaceSize,
                                                              aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnIsPosInf(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
