/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether exactly one of two elements is true.
 *
 *   out = 1 where exactly one of self and other is true, 0 elsewhere
 *
 * An element is true unless it is 0: NaN is true, -0 is not, and a complex number is where
 * either part is. Each operand counts in a dtype of its own. Empty tensors: success, nothing is
 * written.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self, other FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64,
 *             COMPLEX128; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8, which
 *             broadcast against each other; their dtypes may differ
 * out         BOOL or another of these dtypes; the shape that self and other broadcast to; may
 *             be one of them
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLogicalXorGetWorkspaceSize(const aclTensor* self,
                                                                const aclTensor* other,
                                                                aclTensor* out,
                                                                uint64_t* workspaceSize,
                                                                aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLogicalXor(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
