/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The absolute value.
 *
 *   out = |self|
 *
 * The lowest integer of a dtype has none and stays. BOOL and UINT8 are copied.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL; BF16, COMPLEX64
 *             (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * out         dtype of self, FLOAT for COMPLEX64; shape and format of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnAbsGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                         uint64_t* workspaceSize,
                                                         aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAbs(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, const aclrtStream stream);

ACLGRAD_END_DECLS
