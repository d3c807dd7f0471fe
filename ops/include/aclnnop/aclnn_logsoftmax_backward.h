/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient of the logarithm of the softmax.
 */
#ifndef ACLGRAD_ACLNNOP_ACLNN_LOGSOFTMAX_BACKWARD_H_
#define ACLGRAD_ACLNNOP_ACLNN_LOGSOFTMAX_BACKWARD_H_

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = gradOutput - exp(output) * sum(gradOutput) along dimension dim, where output is the result
 * of aclnnLogSoftmax. Data types: FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950; gradOutput and
 * output have the same, out's may be another. The computation runs in DOUBLE and rounds once,
 * FLOAT16 by way of FLOAT; of BF16 in FLOAT with sums in DOUBLE, within 0.501 ulp of |gradOutput| +
 * exp(output) * |sum(gradOutput)|. Order of the checks: output, gradOutput, out not null; an empty
 * gradOutput or output succeeds at once (not on 950); dtype of gradOutput, output, out;
 * gradOutput's is output's; ranks at most 8; shapes equal; dim in [-n, n-1].
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

#endif /* ACLGRAD_ACLNNOP_ACLNN_LOGSOFTMAX_BACKWARD_H_ */
