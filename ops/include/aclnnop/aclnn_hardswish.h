/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hardswish: x times a piecewise linear sigmoid.
 *
 *   out = 0                    x <= -3
 *         x * (x + 3) / 6      -3 < x < 3
 *         x                    x >= 3
 *
 * -infinity gives 0, +infinity and NaN stay.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self, out   FLOAT, FLOAT16, BF16 (Ascend910B, Ascend910_93, Ascend950);
 *             each from the list, they may differ
 * out         shape of self, any rank; may be self. It is written, in spite of the const.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnHardswishGetWorkspaceSize(const aclTensor* self,
                                                               const aclTensor* out,
                                                               uint64_t* workspaceSize,
                                                               aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnHardswish(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, const aclrtStream stream);

/*
 * aclnnHardswish with self as both input and output. self is written, in spite of the const.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceHardswishGetWorkspaceSize(const aclTensor* self,
                                                                      uint64_t* workspaceSize,
                                                                      aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceHardswish(void* workspace, uint64_t workspaceSize,
                                                      aclOpExecutor* executor,
                                                      const aclrtStream stream);

ACLGRAD_END_DECLS
