/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Norms of vectors, over dimensions.
 *
 * No output may overlap an input unless its comment says otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = (sum |x|^ord)^(1/ord) of the elements of self over dims; for ord = infinity the largest
 * |x|, for -infinity the smallest, for ord = 0 the number of elements that are not 0. dims lists
 * dimensions in [-n, n-1] (n = self's rank, 1 for 0-d), each once; an empty array means all of
 * them. Reduced dimensions vanish, or stay with size 1 when keepDims is set. Data types of self:
 * FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3 and 950; dtype is one of them too, and that of
 * out. The computation runs in DOUBLE and rounds once. Over no elements the norm is 0, but for an
 * ord below 0 or infinite, which is 161002 there. Limits: ord not complex; ranks at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLinalgVectorNormGetWorkspaceSize(
    const aclTensor* self, const aclScalar* ord, const aclIntArray* dims, bool keepDims,
    aclDataType dtype, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLinalgVectorNorm(void* workspace, uint64_t workspaceSize,
                                                      aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
