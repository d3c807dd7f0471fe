/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Softplus, a smooth ReLU.
 *
 *   out = self                              beta * self > threshold
 *         log(1 + e^(beta * self)) / beta   otherwise
 *
 * A beta of 0 divides by zero. NaN stays.
 *
 * Both phases: phase one checks its arguments in the order listed and plans; phase two queues the
 * work. On failure phase one leaves *workspaceSize and *executor as they were, and
 * aclGetRecentErrMsg names the operator, the argument, what was expected and what came.
 *
 * Phase two: 161001 for a null executor, or a null workspace where one is needed; 161002 for a
 * workspace smaller than asked for; 561103 for an executor that was used up.
 *
 * Tensors may have any strides and offset. Every format is taken as ND. An empty tensor passes the
 * same checks, asks for no workspace and computes nothing. An output may be exactly an input, the
 * same view of the same memory; any other overlap is undefined, and ACLGRAD_CHECK=memory reports
 * it.
 */
#ifndef ACLGRAD_ACLNNOP_ACLNN_SOFTPLUS_H_
#define ACLGRAD_ACLNNOP_ACLNN_SOFTPLUS_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * self, out   FLOAT, FLOAT16; BF16 (Ascend910B, Ascend910_93, Ascend950); they may differ; rank 0
 *             to 8
 * beta, threshold
 *             read as FLOAT; not complex
 * out         shape of self; may be self
 *
 * 161001  1. workspaceSize or executor null   2. self, beta, threshold, out null
 * 161002  3. dtype of self   4. dtype of out   5. beta, threshold complex   6. ranks of self,
 *         out above 8   7. shapes differ
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSoftplusGetWorkspaceSize(
    const aclTensor* self, const aclScalar* beta, const aclScalar* threshold, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);

/*
 * Phase two of aclnnSoftplus: queues the work on `stream`. Statuses as described above.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSoftplus(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif /* ACLGRAD_ACLNNOP_ACLNN_SOFTPLUS_H_ */
