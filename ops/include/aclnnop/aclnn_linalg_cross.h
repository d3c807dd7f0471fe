/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cross products of vectors of three elements.
 *
 * out may be self or other, but may not overlap them otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self and other broadcast to the shape of out; dim is one of its dimensions, in [-n, n-1] for rank
 * n, along which all three have 3 elements, those of a vector: out = (a1 b2 - a2 b1, a2 b0 - a0 b2,
 * a0 b1 - a1 b0) for self's a and other's b. Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16,
 * INT32, INT64, UINT8, COMPLEX64, COMPLEX128, and BF16 on Atlas A2, A3 and 950. The two may differ:
 * the product is that of their common dtype, which must be convertible to that of out. Real numbers
 * are computed in DOUBLE and rounded once; integers wrap. An empty out: success, nothing is
 * written. Limits: ranks from 1 to 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLinalgCrossGetWorkspaceSize(const aclTensor* self,
                                                                 const aclTensor* other,
                                                                 int64_t dim, aclTensor* out,
                                                                 uint64_t* workspaceSize,
                                                                 aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLinalgCross(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
