/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reciprocal.
 *
 *   out = 1 / self
 *
 * Zeros give infinities of their sign and infinities zeros; NaN stays.
 *
 * Formats are taken as ND where they may be any.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        FLOAT, FLOAT16, DOUBLE, COMPLEX64, COMPLEX128, INT8, INT16, INT32, INT64, UINT8,
 *             BOOL; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * out         FLOAT, FLOAT16, DOUBLE, COMPLEX64, COMPLEX128, BF16; integers and BOOL are computed
 *             in FLOAT
 *             shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnReciprocalGetWorkspaceSize(const aclTensor* self,
                                                                aclTensor* out,
                                                                uint64_t* workspaceSize,
                                                                aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnReciprocal(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnReciprocal with selfRef as both input and output.
 *
 * selfRef     FLOAT, FLOAT16, DOUBLE, COMPLEX64, COMPLEX128; BF16 (Ascend910B, Ascend910_93,
 *             Ascend950); rank 0 to 8
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceReciprocalGetWorkspaceSize(const aclTensor* selfRef,
                                                                       uint64_t* workspaceSize,
                                                                       aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceReciprocal(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
