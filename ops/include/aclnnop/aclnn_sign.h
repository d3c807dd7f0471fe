/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sign of a number.
 *
 *   result = 1 for self > 0, -1 for self < 0, self for 0 and NaN
 *
 * Of complex numbers self / |self|, and 0 for 0.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        FLOAT, FLOAT16, DOUBLE, INT32, INT64, COMPLEX64, COMPLEX128, BOOL; BF16 (Ascend910B,
 *             Ascend910_93, Ascend950); any rank
 * result      dtype and shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSignGetWorkspaceSize(const aclTensor* self, aclTensor* result,
                                                          uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSign(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, const aclrtStream stream);

ACLGRAD_END_DECLS
