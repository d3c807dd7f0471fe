/* SPDX-License-Identifier: Apache-2.0 */
/*
 * True division, element by element.
 *
 * Data types: FLOAT, FLOAT16, INT32, INT64, INT16, INT8, UINT8, DOUBLE, BOOL, COMPLEX64,
 * COMPLEX128, and BF16 on Atlas A2, A3 and 950. x / 0 is an infinity, 0 / 0 is NaN.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = self / other, computed in P = PromoteType(self, other), or in FLOAT where P is an integer
 * or BOOL. self and other broadcast to exactly out's shape, ranks at most 8. P must be convertible
 * to out's dtype, so that an integer out takes the truncated quotient of integers; on 950 the type
 * of the computation must be. Limits: no private formats. An empty self or other: success, nothing
 * is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnDivGetWorkspaceSize(const aclTensor* self,
                                                         const aclTensor* other, aclTensor* out,
                                                         uint64_t* workspaceSize,
                                                         aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnDiv(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream);

/*
 * out = self / other with a scalar `other`; out has self's shape. Computed in self's type when
 * that is floating or complex, else in FLOAT; the scalar is converted to that type, for BF16 and
 * FLOAT16 tensors to FLOAT. On 950 FLOAT, FLOAT16 and BF16 tensors are multiplied by 1 / other
 * instead. self's dtype must be convertible to out's. Limits: no private formats; rank at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnDivsGetWorkspaceSize(const aclTensor* self,
                                                          const aclScalar* other, aclTensor* out,
                                                          uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnDivs(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

/*
 * selfRef /= other. As aclnnDiv with out = selfRef: other broadcasts to selfRef's shape.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceDivGetWorkspaceSize(aclTensor* selfRef,
                                                                const aclTensor* other,
                                                                uint64_t* workspaceSize,
                                                                aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceDiv(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

/*
 * selfRef /= other with a scalar `other`. As aclnnDivs with out = selfRef.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceDivsGetWorkspaceSize(aclTensor* selfRef,
                                                                 const aclScalar* other,
                                                                 uint64_t* workspaceSize,
                                                                 aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceDivs(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

/*
 * Quotients as they are or rounded to integers.
 *
 *   mode 0   self / other, as aclnnDiv
 *   mode 1   trunc(self / other)
 *   mode 2   floor(self / other), as aclnnFloorDivide
 *
 * Computed in P = PromoteType(self, other), or in FLOAT where P is BOOL, for mode 0 also where
 * it is an integer. Mode 1 cuts off the quotient as it is rounded to FLOAT or DOUBLE. In modes
 * 1 and 2 integers divided by 0 give 0, and the smallest integer divided by -1 gives itself.
 * Checks as those of aclnnDiv, then the mode. Limits: no complex dtypes but for mode 0.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnDivModGetWorkspaceSize(const aclTensor* self,
                                                            const aclTensor* other, int mode,
                                                            aclTensor* out, uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnDivMod(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnDivMod with a scalar `other`; out has self's shape. For mode 0 as aclnnDivs; for others
 * self and the scalar count in self's dtype, but in FLOAT for a floating scalar beside
 * integers, and in the scalar's dtype beside BOOL (BOOL itself in FLOAT).
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnDivModsGetWorkspaceSize(const aclTensor* self,
                                                             const aclScalar* other, int mode,
                                                             aclTensor* out,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnDivMods(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

/*
 * selfRef = selfRef / other, rounded as the mode says. As aclnnDivMod with out = selfRef.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceDivModGetWorkspaceSize(aclTensor* selfRef,
                                                                   const aclTensor* other, int mode,
                                                                   uint64_t* workspaceSize,
                                                                   aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceDivMod(void* workspace, uint64_t workspaceSize,
                                                   aclOpExecutor* executor, aclrtStream stream);

/*
 * selfRef = selfRef / other with a scalar `other`, rounded as the mode says. As aclnnDivMods
 * with out = selfRef.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceDivModsGetWorkspaceSize(aclTensor* selfRef,
                                                                    const aclScalar* other,
                                                                    int mode,
                                                                    uint64_t* workspaceSize,
                                                                    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceDivMods(void* workspace, uint64_t workspaceSize,
                                                    aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
