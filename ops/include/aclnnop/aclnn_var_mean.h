/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variance and mean over dimensions.
 *
 * No output may overlap an input unless its comment says otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * meanOut = the mean of the n elements of self over the dimensions in dim, varOut = sum((x -
 * mean)^2) / (n - correction). Of a single element and a correction of at least 1 the variance is
 * NaN; where more than one element is not more than correction, it is infinite. dim lists
 * dimensions in [-n, n-1] (n = self's rank, 1 for 0-d), each once; null or an empty array means
 * all of them. Reduced dimensions vanish, or stay with size 1 when keepdim is set. Data types:
 * FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950; outputs may have another of them than self.
 * The computation runs in DOUBLE and rounds once. Outputs without elements (an empty self) become
 * NaN. Limits: dim in range, no dimension twice; self's rank at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnVarMeanGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* dim, int64_t correction, bool keepdim,
    aclTensor* varOut, aclTensor* meanOut, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnVarMean(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
