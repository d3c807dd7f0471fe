/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether elements have a minus.
 *
 *   out = 1 where the sign bit of self is set, 0 elsewhere
 *
 * It is set of -0 and may be of NaN; of integers it is that of negative ones. Complex dtypes
 * are refused. Empty tensors: success, nothing is written.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL; BF16 (Ascend910B,
 *             Ascend910_93, Ascend950); rank 0 to 8
 * out         BOOL or another of these dtypes; shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSignbitGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSignbit(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
