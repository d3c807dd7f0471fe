/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fraction of an element, with its sign.
 *
 *   out = self - trunc(self)
 *
 * Of infinities and NaN it is NaN, of integers 0. Empty tensors: success, nothing is written.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self, out   FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8; BF16 (Ascend910B,
 *             Ascend910_93, Ascend950); rank 0 to 8; self must convert to out's dtype
 * out         shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnFracGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                          uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFrac(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnFrac with selfRef as both input and output.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceFracGetWorkspaceSize(aclTensor* selfRef,
                                                                 uint64_t* workspaceSize,
                                                                 aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceFrac(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
