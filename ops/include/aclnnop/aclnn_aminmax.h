/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Smallest and largest element over dimensions.
 *
 * No output may overlap an input unless its comment says otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * min = the smallest and max = the largest element of self over the dimensions in dim, NaN in both
 * where there is one among them. dim lists dimensions in [-n, n-1] (n = self's rank, 1 for 0-d),
 * each once; an empty array means all of them. Reduced dimensions vanish, or stay with size 1 when
 * keepdim is set. Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, and
 * BF16 on Atlas A2, A3 and 950; min and max have self's. None of those reduced has size
 * 0; another empty self: success, nothing is written. Limits: dim in range, no dimension twice;
 * ranks at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnAminmaxGetWorkspaceSize(const aclTensor* self,
                                                             const aclIntArray* dim, bool keepdim,
                                                             aclTensor* min, aclTensor* max,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAminmax(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
