/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Softmax.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = exp(x - max) / sum(exp(x - max)) along dimension dim. Data types: FLOAT, FLOAT16, DOUBLE,
 * and BF16 on Atlas A2, A3 and 950; self and out may differ. The computation runs in DOUBLE and
 * rounds once, 16-bit results by way of FLOAT. A row of minus infinities gives NaN, and so does a
 * row with a NaN or plus infinity in it; a row of one element gives exactly 1. Limits: dim in [-n,
 * n-1] (n = 1 for 0-d); ranks at most 8. An empty self succeeds behind the checks for null;
 * nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSoftmaxGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                             aclTensor* out,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSoftmax(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
