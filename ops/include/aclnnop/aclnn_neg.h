/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The number of the other sign.
 *
 *   out = -self
 *
 * The lowest integer of a dtype has none and stays.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        FLOAT, FLOAT16, DOUBLE, COMPLEX64, COMPLEX128, INT8, INT32, INT64; BF16
 *             (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * out         what self converts to; its shape; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnNegGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                         uint64_t* workspaceSize,
                                                         aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnNeg(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, const aclrtStream stream);

/*
 * aclnnNeg with selfRef as both input and output.
 *
 * selfRef     FLOAT, FLOAT16, DOUBLE, COMPLEX64, COMPLEX128, INT8, INT32, INT64; BF16
 *             (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceNegGetWorkspaceSize(aclTensor* selfRef,
                                                                uint64_t* workspaceSize,
                                                                aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceNeg(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
