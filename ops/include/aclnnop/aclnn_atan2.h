/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The angle of the point x = other, y = self.
 *
 *   out = atan2(self, other), from -pi to pi
 *
 * The signs of zeros count: (0, -0) gives pi, (-0, -0) -pi, (0, 0) 0. Infinities are as C's atan2
 * has them: (inf, inf) gives pi/4, (inf, -inf) 3 pi/4. NaN in either stays.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Computed in the dtype P that self and other promote to; integers and BOOL in FLOAT, or in DOUBLE
 * where out is DOUBLE.
 *
 * self, other FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL; BF16 (Ascend910B,
 *             Ascend910_93, Ascend950); rank 0 to 8
 * out         FLOAT, FLOAT16, DOUBLE; BF16 as above; the shape that self and other broadcast to;
 *             may be one of them
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnAtan2GetWorkspaceSize(const aclTensor* self,
                                                           const aclTensor* other, aclTensor* out,
                                                           uint64_t* workspaceSize,
                                                           aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAtan2(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnAtan2 with out = selfRef, which is FLOAT, FLOAT16, DOUBLE or BF16.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceAtan2GetWorkspaceSize(aclTensor* selfRef,
                                                                  const aclTensor* other,
                                                                  uint64_t* workspaceSize,
                                                                  aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceAtan2(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
