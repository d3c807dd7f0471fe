/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Largest element over dimensions.
 *
 * No output may overlap an input unless its comment says otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = the largest element of self over the dimensions in dim, NaN where there is one among them.
 * dim lists dimensions in [-n, n-1] (n = self's rank, 1 for 0-d), each once; an empty array means
 * all of them. Reduced dimensions vanish, or stay with size 1 when keepDim is set. Data types:
 * FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL (an or), and BF16 on Atlas A2, A3
 * and 950; out has self's. An empty self: success, nothing is written. Limits: dim in range, no
 * dimension twice, none of size 0; ranks at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnAmaxGetWorkspaceSize(const aclTensor* self,
                                                          const aclIntArray* dim, bool keepDim,
                                                          aclTensor* out, uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAmax(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
