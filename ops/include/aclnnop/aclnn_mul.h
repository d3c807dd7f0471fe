/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Multiplication, element by element.
 *
 * Data types: FLOAT, FLOAT16, INT32, INT64, INT16, INT8, UINT8, DOUBLE, BOOL, COMPLEX64,
 * COMPLEX128, and BF16 on Atlas A2, A3 and 950. The computation is exact and rounded once to the
 * promoted type P; integers wrap (two's complement); in BOOL the product is a logical and.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = self * other, computed in P = PromoteType(self, other). self and other broadcast to
 * exactly out's shape, ranks at most 8. P must be convertible to out's dtype (not tested on 950).
 * An empty self or other: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMulGetWorkspaceSize(const aclTensor* self,
                                                         const aclTensor* other, aclTensor* out,
                                                         uint64_t* workspaceSize,
                                                         aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMul(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream);

/*
 * out = self * other with a scalar `other`; out has self's shape. Computed in: with a complex
 * operand PromoteType(self, other); else self's type when self is floating; else FLOAT when other
 * is DOUBLE and self is BOOL or out FLOAT; else PromoteType(self, other) when other is floating or
 * self BOOL; else self's type. The result is converted to out's dtype freely (complex to real
 * keeps the real part); on 950 it must be convertible. Limits: rank at most 8. The scalar is
 * converted to the computing type first, for BF16 tensors to FLOAT.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMulsGetWorkspaceSize(const aclTensor* self,
                                                          const aclScalar* other, aclTensor* out,
                                                          uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMuls(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

/*
 * selfRef *= other. As aclnnMul with out = selfRef: other broadcasts to selfRef's shape.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceMulGetWorkspaceSize(aclTensor* selfRef,
                                                                const aclTensor* other,
                                                                uint64_t* workspaceSize,
                                                                aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceMul(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

/*
 * selfRef *= other with a scalar `other`. As aclnnMuls with out = selfRef.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceMulsGetWorkspaceSize(aclTensor* selfRef,
                                                                 const aclScalar* other,
                                                                 uint64_t* workspaceSize,
                                                                 aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceMuls(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
