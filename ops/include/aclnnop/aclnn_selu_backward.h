/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The derivative of SELU, written in the forward's output y.
 *
 *   gradInput = gradOutput * (y + lambda * alpha)     y < 0
 *               gradOutput * lambda                   y >= 0
 *
 * with alpha = 1.6732632423543772848 and lambda = 1.0507009873554804934. This is lambda * alpha *
 * e^x for x < 0: the derivative of what aclnnSelu computes, factor lambda included. NaN in y gives
 * NaN. Integers take the exact value, cut off towards zero and held to the type's range.
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
#ifndef ACLGRAD_ACLNNOP_ACLNN_SELU_BACKWARD_H_
#define ACLGRAD_ACLNNOP_ACLNN_SELU_BACKWARD_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * gradOutput  FLOAT, FLOAT16, INT32, INT8, BF16 (Ascend910B, Ascend910_93, Ascend950); any rank
 * result      the forward's output y; dtype and shape of gradOutput
 * gradInput   dtype and shape of gradOutput; may be gradOutput or result
 *
 * 161001  1. workspaceSize or executor null   2. gradOutput, result, gradInput null
 * 161002  3. result's dtype is not gradOutput's   4. gradInput's dtype is not gradOutput's
 *         5. dtype not in the list   6. result's shape is not gradOutput's
 *         7. gradInput's shape is not gradOutput's
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSeluBackwardGetWorkspaceSize(const aclTensor* gradOutput,
                                                                  const aclTensor* result,
                                                                  aclTensor* gradInput,
                                                                  uint64_t* workspaceSize,
                                                                  aclOpExecutor** executor);

/*
 * Phase two of aclnnSeluBackward: queues the work on `stream`. Statuses as described above.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSeluBackward(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif /* ACLGRAD_ACLNNOP_ACLNN_SELU_BACKWARD_H_ */
