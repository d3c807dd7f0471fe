/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Powers, element by element.
 *
 *   out = self ^ exponent
 *
 * They are computed in the dtype P that self and exponent promote to. Special cases are those of
 * C's pow. Integers wrap; those with a negative exponent are 1, -1 or 0.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * all         FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64,
 *             COMPLEX128; BF16 (Ascend910B, Ascend910_93, Ascend950);
 *             rank 0 to 8; P must convert to out's dtype
 * out         the shape that self and exponent broadcast to; may be one of them
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnPowTensorTensorGetWorkspaceSize(const aclTensor* self,
                                                                     const aclTensor* exponent,
                                                                     aclTensor* out,
                                                                     uint64_t* workspaceSize,
                                                                     aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnPowTensorTensor(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnPowTensorTensor with out = selfRef.
 */
ACL_FUNC_VISIBILITY aclnnStatus
aclnnInplacePowTensorTensorGetWorkspaceSize(aclTensor* selfRef, const aclTensor* exponent,
                                            uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplacePowTensorTensor(void* workspace, uint64_t workspaceSize,
                                                            aclOpExecutor* executor,
                                                            aclrtStream stream);

ACLGRAD_END_DECLS
