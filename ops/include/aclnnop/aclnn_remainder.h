/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is left of divisions whose quotients are rounded down: remainders with the sign of the
 * divisor.
 *
 *   out = self - other * floor(self / other)
 *
 * Both count in the dtype that they promote to; a scalar changes a tensor's dtype only where it
 * is a floating number beside integers: FLOAT then. The C library's fmod(self, other), plus
 * other where that is not 0 and has the other sign: exact but for one rounding. A remainder of
 * 0 has self's sign. Of floating numbers it is NaN for other = 0 and for an infinite self; an
 * infinite other gives self, or other where the signs differ. Integers give 0 for other = 0.
 * BOOL and complex dtypes are refused. Empty tensors: success, nothing is written.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self, other FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8; BF16 (Ascend910B,
 *             Ascend910_93, Ascend950); rank 0 to 8, which broadcast against each other
 * out         one of these, to which the promoted dtype converts; the shape that self and other
 *             broadcast to; may be one of them
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnRemainderTensorTensorGetWorkspaceSize(
    const aclTensor* self, const aclTensor* other, aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnRemainderTensorTensor(void* workspace, uint64_t workspaceSize,
                                                           aclOpExecutor* executor,
                                                           aclrtStream stream);

/*
 * self        FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8; BF16 (Ascend910B,
 *             Ascend910_93, Ascend950); rank 0 to 8
 * other       a scalar of one of these dtypes
 * out         one of these, to which the promoted dtype converts; shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnRemainderTensorScalarGetWorkspaceSize(
    const aclTensor* self, const aclScalar* other, aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnRemainderTensorScalar(void* workspace, uint64_t workspaceSize,
                                                           aclOpExecutor* executor,
                                                           aclrtStream stream);

/*
 * self        a scalar of one of these dtypes
 * other       FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8; BF16 (Ascend910B,
 *             Ascend910_93, Ascend950); rank 0 to 8
 * out         one of these, to which the promoted dtype converts; shape of other; may be other
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnRemainderScalarTensorGetWorkspaceSize(
    const aclScalar* self, const aclTensor* other, aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnRemainderScalarTensor(void* workspace, uint64_t workspaceSize,
                                                           aclOpExecutor* executor,
                                                           aclrtStream stream);

/*
 * aclnnRemainderTensorTensor with selfRef as both input and output, to whose shape other
 * broadcasts.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceRemainderTensorTensorGetWorkspaceSize(
    aclTensor* selfRef, const aclTensor* other, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceRemainderTensorTensor(void* workspace,
                                                                  uint64_t workspaceSize,
                                                                  aclOpExecutor* executor,
                                                                  aclrtStream stream);

/*
 * aclnnRemainderTensorScalar with selfRef as both input and output.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceRemainderTensorScalarGetWorkspaceSize(
    aclTensor* selfRef, const aclScalar* other, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceRemainderTensorScalar(void* workspace,
                                                                  uint64_t workspaceSize,
                                                                  aclOpExecutor* executor,
                                                                  aclrtStream stream);

ACLGRAD_END_DECLS
