/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is left of divisions whose quotients are cut off: remainders with the sign of the
 * dividend.
 *
 *   out = self - other * trunc(self / other)
 *
 * Both count in the dtype that they promote to; a scalar changes a tensor's dtype only where it
 * is a floating number beside integers: FLOAT then. The C library's fmod, which is exact. Of
 * floating numbers it is NaN for other = 0 and for an infinite self; an infinite other gives
 * self. Integers give 0 for other = 0. BOOL and complex dtypes are refused. Empty tensors:
 * success, nothing is written.
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
ACL_FUNC_VISIBILITY aclnnStatus aclnnFmodTensorGetWorkspaceSize(const aclTensor* self,
                                                                const aclTensor* other,
                                                                aclTensor* out,
                                                                uint64_t* workspaceSize,
                                                                aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFmodTensor(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnFmodTensor with selfRef as both input and output, to whose shape other broadcasts.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceFmodTensorGetWorkspaceSize(aclTensor* selfRef,
                                                                       const aclTensor* other,
                                                                       uint64_t* workspaceSize,
                                                                       aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceFmodTensor(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
