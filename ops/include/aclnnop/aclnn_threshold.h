/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threshold. aclnnThresholdBackward is its derivative.
 *
 *   out = self    self > threshold, and where self is NaN
 *         value   otherwise
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self              FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8; BF16 (Ascend910B,
 *                   Ascend910_93, Ascend950); rank 0 to 8
 * threshold, value  of any real dtype; rounded to FLOAT unless self is DOUBLE; beside integers cut
 *                   off and held within the range of the dtype
 * out               of the same list of dtypes, to which that of self must convert; shape of self;
 *                   may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnThresholdGetWorkspaceSize(
    const aclTensor* self, const aclScalar* threshold, const aclScalar* value, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnThreshold(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnThreshold with selfRef as both input and output.
 *
 * selfRef           FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8; BF16 (Ascend910B,
 *                   Ascend910_93, Ascend950); rank 0 to 8
 * threshold, value  of any real dtype; rounded to FLOAT unless self is DOUBLE; beside integers cut
 *                   off and held within the range of the dtype
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceThresholdGetWorkspaceSize(aclTensor* selfRef,
                                                                      const aclScalar* threshold,
                                                                      const aclScalar* value,
                                                                      uint64_t* workspaceSize,
                                                                      aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceThreshold(void* workspace, uint64_t workspaceSize,
                                                      aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
