/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bits of integers moved to the right, that is, integers divided by powers of two and
 * rounded down.
 *
 *   out = self >> other
 *
 * Both count in the dtype that they promote to; the sign stays. Where other is negative, or at
 * least the number of bits, the result is 0, or -1 of negative numbers. Empty tensors: success,
 * nothing is written.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self, other INT8, INT16, INT32, INT64, UINT8; rank 0 to 8, which broadcast against each other
 * out         one of these; the shape that self and other broadcast to; may be one of them
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnRightShiftGetWorkspaceSize(const aclTensor* self,
                                                                const aclTensor* other,
                                                                aclTensor* out,
                                                                uint64_t* workspaceSize,
                                                                aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnRightShift(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
