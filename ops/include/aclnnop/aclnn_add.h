/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addition with a factor.
 *
 * Data types: FLOAT, FLOAT16, INT32, INT64, INT16, INT8, UINT8, DOUBLE, BOOL, COMPLEX64,
 * COMPLEX128, and BF16 on Atlas A2, A3 and 950. The computation is exact and rounded once to the
 * promoted type P; integers wrap (two's complement); in BOOL the sum is a logical or.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = self + alpha * other, computed in P = PromoteType(self, other), to which alpha is
 * converted. self and other broadcast to exactly out's shape, ranks at most 8. P must be
 * convertible to out's dtype and alpha to P, so BOOL tensors want an integer or BOOL alpha (a
 * non-zero one counts as 1). An empty self or other: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnAddGetWorkspaceSize(const aclTensor* self,
                                                         const aclTensor* other,
                                                         const aclScalar* alpha, aclTensor* out,
                                                         uint64_t* workspaceSize,
                                                         aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAdd(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream);

/*
 * selfRef += alpha * other. As aclnnAdd with out = selfRef: other broadcasts to selfRef's shape.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceAddGetWorkspaceSize(const aclTensor* selfRef,
                                                                const aclTensor* other,
                                                                const aclScalar* alpha,
                                                                uint64_t* workspaceSize,
                                                                aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceAdd(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

/*
 * out = self + alpha * other with a scalar `other`; out has self's shape. Computed in P: with a
 * complex operand PromoteType(self, other); else self's type when self is floating; else FLOAT
 * when other is DOUBLE and out FLOAT; else PromoteType(self, other) when other is floating or self
 * BOOL; else self's type.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnAddsGetWorkspaceSize(const aclTensor* self,
                                                          const aclScalar* other,
                                                          const aclScalar* alpha, aclTensor* out,
                                                          uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAdds(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

/*
 * selfRef += alpha * other with a scalar `other`. As aclnnAdds with out = selfRef.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceAddsGetWorkspaceSize(const aclTensor* selfRef,
                                                                 const aclScalar* other,
                                                                 const aclScalar* alpha,
                                                                 uint64_t* workspaceSize,
                                                                 aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceAdds(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
