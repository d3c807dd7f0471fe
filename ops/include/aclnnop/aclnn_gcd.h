/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The largest integer that divides two others.
 *
 *   out = gcd(self, other)
 *
 * It is not negative: gcd(-12, 18) = 6, gcd(0, n) = |n|, gcd(0, 0) = 0; the magnitude of the
 * smallest integer wraps. Empty tensors: success, nothing is written.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self, other INT32, INT64; rank 0 to 8, which broadcast against each other
 * out         one of these; the shape that self and other broadcast to; may be one of them
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGcdGetWorkspaceSize(const aclTensor* self,
                                                         const aclTensor* other, aclTensor* out,
                                                         uint64_t* workspaceSize,
                                                         aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGcd(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
