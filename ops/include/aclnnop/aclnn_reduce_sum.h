/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sum over dimensions.
 *
 * Data types: FLOAT, FLOAT16, INT8, INT16, INT32, INT64, UINT8, BOOL, DOUBLE, COMPLEX64,
 * COMPLEX128, and BF16 on Atlas A2, A3 and 950. Sums are taken in DOUBLE (integers: 64 bits,
 * wrapping at the end) in a fixed order that depends on the shape only, and rounded once.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self is converted to `dtype`, which must be out's, and summed over the dimensions `dims`; with
 * dtype BOOL the result is whether any element is non-zero. Each entry of dims lies in [-n, n-1]
 * for rank n (0-d: -1 or 0) and no dimension comes twice; an empty dims means all of them.
 * keepDims leaves summed dimensions as 1. out has the reduced shape, or both have one element. An
 * empty self fills out with 0. Limits: rank at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnReduceSumGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* dims, bool keepDims, aclDataType dtype,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnReduceSum(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
