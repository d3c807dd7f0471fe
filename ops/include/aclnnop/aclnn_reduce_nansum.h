/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums over dimensions in which a NaN counts as 0.
 *
 * No output may overlap an input unless its comment says otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = the sum of the elements of self over the dimensions in dim that are no NaN, each converted
 * to dtype first; 0 where there is none. inf - inf is NaN. dim lists dimensions in [-n, n-1] (n =
 * self's rank, 1 for 0-d), each once; an empty array means all of them. Reduced dimensions vanish,
 * or stay with size 1 when keepDim is set; a result of one element may have any shape of one
 * element. Sums are taken as by aclnnReduceSum. Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16,
 * INT32, INT64, UINT8, BOOL, and BF16 on Atlas A2, A3 and 950; out's is dtype. Limits: dim in
 * range, no dimension twice; ranks at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnReduceNansumGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* dim, bool keepDim, aclDataType dtype, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnReduceNansum(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
