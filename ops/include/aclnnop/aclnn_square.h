/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The square.
 *
 *   out = self * self
 *
 * Integers wrap.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self, out   FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, COMPLEX64, COMPLEX128; BF16
 *             (Ascend910B, Ascend910_93, Ascend950); of one dtype and shape; rank 0 to 8; out may
 *             be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSquareGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                            uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSquare(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
