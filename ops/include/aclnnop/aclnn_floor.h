/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The largest integer that is not above an element.
 *
 *   out = floor(self)
 *
 * -0, infinities and NaN stay; integers are copied. Empty tensors: success, nothing is written.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self, out   FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8; BF16 (Ascend910B,
 *             Ascend910_93, Ascend950); rank 0 to 8; self must convert to out's dtype
 * out         shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnFloorGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                           uint64_t* workspaceSize,
                                                           aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFloor(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnFloor with selfRef as both input and output.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceFloorGetWorkspaceSize(aclTensor* selfRef,
                                                                  uint64_t* workspaceSize,
                                                                  aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceFloor(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
