/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subtraction with a factor.
 *
 * Data types: FLOAT, FLOAT16, INT32, INT64, INT16, INT8, UINT8, DOUBLE, BOOL, COMPLEX64,
 * COMPLEX128, and BF16 on Atlas A2, A3 and 950. The computation is exact and rounded once to the
 * promoted type P; integers wrap (two's complement); in BOOL the difference is true where the
 * operands, as 0 and 1, differ.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = self - alpha * other, computed in P = PromoteType(self, other), to which alpha is
 * converted. self and other broadcast to exactly out's shape, ranks at most 8. P must be
 * convertible to out's dtype and alpha to P. An empty self or other: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSubGetWorkspaceSize(const aclTensor* self,
                                                         const aclTensor* other,
                                                         const aclScalar* alpha, aclTensor* out,
                                                         uint64_t* workspaceSize,
                                                         aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSub(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream);

/*
 * selfRef -= alpha * other. As aclnnSub with out = selfRef: other broadcasts to selfRef's shape.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceSubGetWorkspaceSize(aclTensor* selfRef,
                                                                const aclTensor* other,
                                                                const aclScalar* alpha,
                                                                uint64_t* workspaceSize,
                                                                aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceSub(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

/*
 * out = self - alpha * other with a scalar `other`; out has self's shape. The computing type is
 * chosen as by aclnnAdds.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSubsGetWorkspaceSize(const aclTensor* self,
                                                          const aclScalar* other,
                                                          const aclScalar* alpha, aclTensor* out,
                                                          uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSubs(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

/*
 * selfRef -= alpha * other with a scalar `other`. As aclnnSubs with out = selfRef.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceSubsGetWorkspaceSize(aclTensor* selfRef,
                                                                 const aclScalar* other,
                                                                 const aclScalar* alpha,
                                                                 uint64_t* workspaceSize,
                                                                 aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceSubs(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
