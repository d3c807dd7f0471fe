/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bits of integers moved to the left, that is, integers times powers of two.
 *
 *   out = self << other
 *
 * The bits are those of the dtype that self and other promote to; what is moved out of it is
 * lost. Where other is negative, or at least the number of bits, the result is 0. Empty
 * tensors: success, nothing is written.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self, other INT8, INT16, INT32, INT64, UINT8; rank 0 to 8, which broadcast against each other
 * out         one of these; the shape that self and other broadcast to; may be one of them
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLeftShiftGetWorkspaceSize(const aclTensor* self,
                                                               const aclTensor* other,
                                                               aclTensor* out,
                                                               uint64_t* workspaceSize,
                                                               aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLeftShift(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream);

/*
 * self        INT8, INT16, INT32, INT64, UINT8; rank 0 to 8
 * other       a scalar of one of these dtypes, converted to self's
 * out         one of these; shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLeftShiftsGetWorkspaceSize(const aclTensor* self,
                                                                const aclScalar* other,
                                                                aclTensor* out,
                                                                uint64_t* workspaceSize,
                                                                aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLeftShifts(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
