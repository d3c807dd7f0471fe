/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Powers with one exponent for all elements.
 *
 *   out = self ^ exponent
 *
 * They are computed in a dtype P: FLOAT for an exponent in DOUBLE and an out in FLOAT; otherwise,
 * where one is complex, what self and the exponent promote to; otherwise a floating self's dtype;
 * otherwise, where the exponent is floating or self is BOOL, what they promote to; otherwise self's
 * dtype. The exponent counts as FLOAT beside FLOAT16 and BF16. Special cases are those of C's pow:
 * the exponent 0 gives 1 for every self, NaN too; a negative self has no power of a fraction, which
 * gives NaN. Integers wrap.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self, out   FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64,
 *             COMPLEX128; BF16 (Ascend910B, Ascend910_93, Ascend950);
 *             rank 0 to 8; P must convert to out's dtype
 * exponent    of one of these dtypes; not negative where P is an integer
 * out         shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnPowTensorScalarGetWorkspaceSize(const aclTensor* self,
                                                                     const aclScalar* exponent,
                                                                     const aclTensor* out,
                                                                     uint64_t* workspaceSize,
                                                                     aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnPowTensorScalar(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor,
                                                     const aclrtStream stream);

/*
 * aclnnPowTensorScalar with selfRef as both input and output.
 */
ACL_FUNC_VISIBILITY aclnnStatus
aclnnInplacePowTensorScalarGetWorkspaceSize(const aclTensor* selfRef, const aclScalar* exponent,
                                            uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplacePowTensorScalar(void* workspace, uint64_t workspaceSize,
                                                            aclOpExecutor* executor,
                                                            aclrtStream stream);

/*
 * Powers of one base: out = self ^ exponent with a number self, in the shape of exponent. P is what
 * it is above with exponent in the place of self and self in that of the exponent; real floating
 * results are computed in DOUBLE where out is DOUBLE. Integers with a negative exponent are 1, -1
 * or 0.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnPowScalarTensorGetWorkspaceSize(const aclScalar* self,
                                                                     const aclTensor* exponent,
                                                                     const aclTensor* out,
                                                                     uint64_t* workspaceSize,
                                                                     aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnPowScalarTensor(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
