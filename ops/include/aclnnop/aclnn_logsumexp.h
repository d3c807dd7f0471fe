/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logarithm of a sum of exponentials over dimensions.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = m + ln(sum(e^(self - m))) of the elements of self over the dimensions in dim, m the largest
 * of them; for an infinite m that is m, and NaN where there is one. dim lists dimensions in [-n,
 * n-1] (n = self's rank, 1 for 0-d), each once; an empty array means all of them. Reduced
 * dimensions vanish, or stay with size 1 when keepDim is set. Data types: FLOAT, FLOAT16, DOUBLE,
 * and BF16 on Atlas A2, A3 and 950; self may also be INT8, INT16, INT32, INT64, UINT8 or BOOL, and
 * out may have another dtype than self. The computation runs in DOUBLE and rounds once. Outputs
 * without elements (an empty self) become -infinity, the logarithm of 0. Limits: ranks at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLogSumExpGetWorkspaceSize(const aclTensor* self,
                                                               const aclIntArray* dim, bool keepDim,
                                                               aclTensor* out,
                                                               uint64_t* workspaceSize,
                                                               aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLogSumExp(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
