/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Systems of equations with triangular matrices.
 *
 * xOut may be self, but no output may overlap an input otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * xOut = the X of op(A) X = self, with A [..,N,N], self and xOut [..,N,K], all with the same
 * dimensions before the last two; note that the right-hand side comes first. op(A) is A, or its
 * transpose where transpose is set. upper says which triangle of A is read; what is on the other
 * side of the diagonal is not, nor is the diagonal where unitriangular is set, which then counts as
 * 1. A 0 on the diagonal gives infinities and NaN. mOut, of the size of A, becomes a copy of A.
 * Data types: FLOAT and DOUBLE, of all tensors the same. The computation runs in DOUBLE and rounds
 * once. An empty self: xOut has nothing to be written. Limits: ranks from 2 to 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnTriangularSolveGetWorkspaceSize(
    const aclTensor* self, const aclTensor* A, bool upper, bool transpose, bool unitriangular,
    aclTensor* xOut, aclTensor* mOut, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnTriangularSolve(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
