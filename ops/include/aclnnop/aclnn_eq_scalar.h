/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether elements are equal to a number.
 *
 *   out = 1 for self == other, 0 otherwise
 *
 * A floating self is compared in its own dtype, to which other is rounded; otherwise both count in
 * the dtype that they promote to. BOOL counts as INT8. NaN equals nothing, itself neither.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64,
 *             COMPLEX128; BF16 (Ascend910B, Ascend910_93, Ascend950); UINT16, UINT32, UINT64
 *             (Ascend950); rank 0 to 8
 * other       of one of these dtypes
 * out         the same; shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnEqScalarGetWorkspaceSize(const aclTensor* self,
                                                              const aclScalar* other,
                                                              aclTensor* out,
                                                              uint64_t* workspaceSize,
                                                              aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnEqScalar(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, const aclrtStream stream);

/*
 * aclnnEqScalar with selfRef as both input and output.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceEqScalarGetWorkspaceSize(const aclTensor* selfRef,
                                                                     const aclScalar* other,
                                                                     uint64_t* workspaceSize,
                                                                     aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceEqScalar(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
