/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The error function.
 *
 *   out = 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to self
 *
 * Infinities give -1 and 1; zeros and NaN stay.
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
#ifndef ACLGRAD_ACLNNOP_ACLNN_ERF_H_
#define ACLGRAD_ACLNNOP_ACLNN_ERF_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * self        FLOAT, FLOAT16, DOUBLE, INT64, BOOL; BF16 (Ascend910B, Ascend910_93, Ascend950);
 *             rank 0 to 8
 * out         what the type of the computation converts to: that of self, FLOAT for INT64 and
 *             BOOL
 *             shape of self; may be self
 *
 * 161001  1. workspaceSize or executor null   2. self, out null
 * 161002  3. dtype of self   4. the type of the computation does not convert to out's   5. shapes
 *         differ   6. rank above 8
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnErfGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                         uint64_t* workspaceSize,
                                                         aclOpExecutor** executor);

/*
 * Phase two of aclnnErf: queues the work on `stream`. Statuses as described above.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnErf(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnErf with selfRef as both input and output.
 *
 * selfRef     FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 *
 * 161001  1. workspaceSize or executor null   2. selfRef null
 * 161002  3. dtype of selfRef   4. rank above 8
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceErfGetWorkspaceSize(aclTensor* selfRef,
                                                                uint64_t* workspaceSize,
                                                                aclOpExecutor** executor);

/*
 * Phase two of aclnnInplaceErf: queues the work on `stream`. Statuses as described above.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceErf(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif /* ACLGRAD_ACLNNOP_ACLNN_ERF_H_ */
