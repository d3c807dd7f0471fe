/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reciprocal of the square root.
 *
 *   out = 1 / sqrt(self)
 *
 * 0 gives +infinity and -0 -infinity, a number below 0 NaN, +infinity 0; NaN stays.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        FLOAT, FLOAT16, DOUBLE, COMPLEX64, COMPLEX128, INT8, INT16, INT32, INT64, UINT8,
 *             BOOL; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * out         FLOAT, FLOAT16, DOUBLE, COMPLEX64, COMPLEX128, BF16; integers and BOOL are
 *             converted to it before
 *             shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnRsqrtGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                           uint64_t* workspaceSize,
                                                           aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnRsqrt(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnRsqrt with selfRef as both input and output.
 *
 * selfRef     FLOAT, FLOAT16, DOUBLE, COMPLEX64, COMPLEX128; BF16 (Ascend910B, Ascend910_93,
 *             Ascend950); rank 0 to 8
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceRsqrtGetWorkspaceSize(aclTensor* selfRef,
                                                                  uint64_t* workspaceSize,
                                                                  aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceRsqrt(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
