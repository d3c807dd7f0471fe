/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SiLU, also called Swish: x times its sigmoid.
 *
 *   out = x / (1 + e^-x)
 *
 * +infinity and NaN stay; -infinity gives NaN, as the formula does.
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
#ifndef ACLGRAD_ACLNNOP_ACLNN_SILU_H_
#define ACLGRAD_ACLNNOP_ACLNN_SILU_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * self, out   FLOAT, FLOAT16, BF16 (Ascend910B, Ascend910_93, Ascend950);
 *             each from the list, they may differ
 * out         shape of self, any rank; may be self
 *
 * 161001  1. workspaceSize or executor null   2. self, out null
 * 161002  3. dtype of self   4. dtype of out   5. shapes differ
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSiluGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                          uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);

/*
 * Phase two of aclnnSilu: queues the work on `stream`. Statuses as described above.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSilu(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif /* ACLGRAD_ACLNNOP_ACLNN_SILU_H_ */
