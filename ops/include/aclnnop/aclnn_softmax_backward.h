/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient of the softmax.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = output * (gradOutput - sum(gradOutput * output)) along dimension dim, where output is the
 * result of aclnnSoftmax. Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3 and 950
 * (the vendor's documents lack DOUBLE); gradOutput and output have the same, out's may be another.
 * The computation runs in DOUBLE and rounds once, 16-bit results by way of FLOAT. Limits: dim in
 * [-n, n-1] (n = 1 for 0-d); ranks at most 8. An empty gradOutput or output succeeds behind the
 * checks for null (not on 950).
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSoftmaxBackwardGetWorkspaceSize(const aclTensor* gradOutput,
                                                                     const aclTensor* output,
                                                                     int64_t dim, aclTensor* out,
                                                                     uint64_t* workspaceSize,
                                                                     aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSoftmaxBackward(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
