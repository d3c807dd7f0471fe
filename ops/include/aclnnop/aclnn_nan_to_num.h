/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements with numbers in the place of NaN and infinities.
 *
 *   out = nan where self is NaN, posinf or neginf where it is infinite, self elsewhere
 *
 * The three numbers are taken as they are, infinities and NaN among them, and converted to
 * self's dtype: 1e38 is infinity in FLOAT16. Integers and BOOL are copied. Empty tensors:
 * success, nothing is written.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self, out   FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL; BF16 (Ascend910B,
 *             Ascend910_93, Ascend950); rank 0 to 8; self must convert to out's dtype
 * nan         in the place of NaN
 * posinf, neginf
 *             in the place of infinity and of minus infinity
 * out         shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnNanToNumGetWorkspaceSize(const aclTensor* self, float nan,
                                                              float posinf, float neginf,
                                                              aclTensor* out,
                                                              uint64_t* workspaceSize,
                                                              aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnNanToNum(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnNanToNum with selfRef as both input and output.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceNanToNumGetWorkspaceSize(aclTensor* selfRef, float nan,
                                                                     float posinf, float neginf,
                                                                     uint64_t* workspaceSize,
                                                                     aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceNanToNum(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
