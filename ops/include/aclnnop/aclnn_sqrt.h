/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The square root.
 *
 *   out = sqrt(self)
 *
 * A number below 0 gives NaN; zeros, +infinity and NaN stay.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        FLOAT, FLOAT16, DOUBLE, COMPLEX64, COMPLEX128, INT8, INT16, INT32, INT64, UINT8,
 *             BOOL; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * out         what the type of the computation converts to: that of self, FLOAT for integers and
 *             BOOL. (INT64 is computed in DOUBLE.)
 *             shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSqrtGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                          uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSqrt(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnSqrt with self as both input and output.
 *
 * self        FLOAT, FLOAT16, DOUBLE, COMPLEX64, COMPLEX128; BF16 (Ascend910B, Ascend910_93,
 *             Ascend950); rank 0 to 8
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceSqrtGetWorkspaceSize(aclTensor* self,
                                                                 uint64_t* workspaceSize,
                                                                 aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceSqrt(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
