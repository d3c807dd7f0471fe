/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The logarithm of a sum of powers of e.
 *
 *   out = log(e^self + e^other)
 *
 * It does not overflow. Two equal infinities give that infinity, an infinity beside another number
 * the larger; NaN in either stays.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Computed in the dtype P that self and other promote to.
 *
 * self, other FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950);
 *             rank 0 to 8
 * out         one of these that P converts to; the shape that self and other broadcast to; may be
 *             one of them
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLogAddExpGetWorkspaceSize(const aclTensor* self,
                                                               const aclTensor* other,
                                                               aclTensor* out,
                                                               uint64_t* workspaceSize,
                                                               aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLogAddExp(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
