/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether elements are greater than a number.
 *
 *   out = 1 for self > other, 0 otherwise
 *
 * A floating self is compared with an other in DOUBLE in its own dtype where rounding other to it
 * costs at most 2^-23; otherwise both count in the dtype that they promote to. BOOL counts as INT8.
 * NaN is not greater than anything.
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
ACL_FUNC_VISIBILITY aclnnStatus aclnnGtScalarGetWorkspaceSize(const aclTensor* self,
                                                              const aclScalar* other,
                                                              aclTensor* out,
                                                              uint64_t* workspaceSize,
                                                              aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGtScalar(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnGtScalar with selfRef as both input and output.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceGtScalarGetWorkspaceSize(aclTensor* selfRef,
                                                                     const aclScalar* other,
                                                                     uint64_t* workspaceSize,
                                                                     aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceGtScalar(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
