/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether elements are less than or equal to a number.
 *
 *   out = 1 for self <= other, 0 otherwise
 *
 * A floating self is compared in its own dtype, to which other is rounded; otherwise both count in
 * the dtype that they promote to, where a DOUBLE counts as FLOAT. BOOL counts as INT8. NaN is not
 * less than or equal to anything.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, UINT16, UINT32,
 *             UINT64; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * other       of one of these dtypes
 * out         the same, COMPLEX64, COMPLEX128; shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLeScalarGetWorkspaceSize(const aclTensor* self,
                                                              const aclScalar* other,
                                                              aclTensor* out,
                                                              uint64_t* workspaceSize,
                                                              aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLeScalar(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnLeScalar with selfRef as both input and output.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceLeScalarGetWorkspaceSize(aclTensor* selfRef,
                                                                     const aclScalar* other,
                                                                     uint64_t* workspaceSize,
                                                                     aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceLeScalar(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
