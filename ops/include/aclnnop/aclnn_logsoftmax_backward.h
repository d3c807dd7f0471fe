/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient of the logarithm of the softmax.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = gradOutput - exp(output) * sum(gradOutput) along dimension dim, where output is the result
 * of aclnnLogSoftmax; where the sum is 0, output does not count, not even NaN. Data types: FLOAT,
 * FLOAT16, and BF16 on Atlas A2, A3 and 950; gradOutput and output have the same, out's may be
 * another. The computation runs in DOUBLE and rounds once, FLOAT16 by way of FLOAT; of BF16 in
 * FLOAT with sums in DOUBLE, within 0.501 ulp of |gradOutput|
 * + exp(output) * |sum(gradOutput)|. Limits: ranks at most 8; dim in [-n, n-1]. An empty
 * gradOutput or output succeeds behind the checks for null (not on 950).
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLogSoftmaxBackwardGetWorkspaceSize(const aclTensor* gradOutput,
                                                                        const aclTensor* output,
                                                                        int64_t dim, aclTensor* out,
                                                                        uint64_t* workspaceSize,
                                                                        aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLogSoftmaxBackward(void* workspace, uint64_t workspaceSize,
                                                        aclOpExecutor* executor,
                                                        aclrtStream stream);

ACLGRAD_END_DECLS
