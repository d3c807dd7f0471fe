/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Softshrink.
 *
 *   out = self - lambd   self > lambd
 *         self + lambd   self < -lambd
 *         0              otherwise
 *
 * NaN stays.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * lambd       of any real dtype; rounded to FLOAT unless self is DOUBLE; not negative
 * out         dtype and shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSoftshrinkGetWorkspaceSize(const aclTensor* self,
                                                                const aclScalar* lambd,
                                                                aclTensor* out,
                                                                uint64_t* workspaceSize,
                                                                aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSoftshrink(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
