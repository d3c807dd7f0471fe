/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ReLU.
 *
 *   out = self for self > 0, 0 below
 *
 * Zeros and NaN stay.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        FLOAT, FLOAT16, INT8, UINT8, INT32, INT64; BF16 (Ascend910B, Ascend910_93,
 *             Ascend950); rank 0 to 8
 * out         dtype and shape of self; may be self. It is written, in spite of the const.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnReluGetWorkspaceSize(const aclTensor* self,
                                                          const aclTensor* out,
                                                          uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnRelu(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, const aclrtStream stream);

/*
 * aclnnRelu with selfRef as both input and output.
 *
 * selfRef     FLOAT, FLOAT16, INT8, UINT8, INT32, INT64; BF16 (Ascend910B, Ascend910_93,
 *             Ascend950); rank 0 to 8
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceReluGetWorkspaceSize(aclTensor* selfRef,
                                                                 uint64_t* workspaceSize,
                                                                 aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceRelu(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, const aclrtStream stream);

ACLGRAD_END_DECLS
