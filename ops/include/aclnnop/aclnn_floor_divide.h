/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quotients rounded down.
 *
 *   out = floor(self / other)
 *
 * Both count in the dtype that they promote to; a scalar changes self's dtype only where it is
 * a floating number beside integers (FLOAT then), or an integer beside BOOL. It is the quotient
 * that belongs to aclnnRemainderTensorTensor: (self - r) / other for the remainder r, rounded
 * to the integer that it is but for rounding errors. A quotient of 0 has the sign of self /
 * other. Of floating numbers x / 0 is an infinity or NaN, and an infinite self gives NaN;
 * integers divided by 0 give 0, and the smallest integer divided by -1 gives itself. BOOL is
 * divided in FLOAT. Empty tensors: success, nothing is written.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self, other FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL; BF16 (Ascend910B,
 *             Ascend910_93, Ascend950); rank 0 to 8, which broadcast against each other
 * out         one of these, to which the promoted dtype converts; the shape that self and other
 *             broadcast to; may be one of them
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnFloorDivideGetWorkspaceSize(const aclTensor* self,
                                                                 const aclTensor* other,
                                                                 aclTensor* out,
                                                                 uint64_t* workspaceSize,
                                                                 aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFloorDivide(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

/*
 * self        FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL; BF16 (Ascend910B,
 *             Ascend910_93, Ascend950); rank 0 to 8
 * other       a scalar of one of these dtypes
 * out         one of these, to which the promoted dtype converts; shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnFloorDividesGetWorkspaceSize(const aclTensor* self,
                                                                  const aclScalar* other,
                                                                  aclTensor* out,
                                                                  uint64_t* workspaceSize,
                                                                  aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFloorDivides(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnFloorDivide with selfRef as both input and output, to whose shape other broadcasts.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceFloorDivideGetWorkspaceSize(aclTensor* selfRef,
                                                                        const aclTensor* other,
                                                                        uint64_t* workspaceSize,
                                                                        aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceFloorDivide(void* workspace, uint64_t workspaceSize,
                                                        aclOpExecutor* executor,
                                                        aclrtStream stream);

/*
 * aclnnFloorDivides with selfRef as both input and output.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceFloorDividesGetWorkspaceSize(aclTensor* selfRef,
                                                                         const aclScalar* other,
                                                                         uint64_t* workspaceSize,
                                                                         aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceFloorDivides(void* workspace, uint64_t workspaceSize,
                                                         aclOpExecutor* executor,
                                                         aclrtStream stream);

ACLGRAD_END_DECLS
