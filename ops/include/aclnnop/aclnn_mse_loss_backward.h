/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient of the mean squared error.
 *
 * Statuses of the first phase: 0; 161001 when workspaceSize or executor is null (tested first) or a
 * required argument is; 161002 when an argument breaks a rule below; 561103 when a strided view
 * leaves its storage. The second phase queues the work on the stream: 0; 161001 for a null
 * executor, or for a null workspace of a size above 0. Views may have any strides; inputs may
 * overlap or be expanded (stride 0). An output may be exactly an input; any other overlap is
 * undefined, and ACLGRAD_CHECK=memory reports it.
 *
 * Data types: FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950. The computation runs in DOUBLE with
 * sums in a fixed order, and rounds once. reduction: 0 none, 1 mean, 2 sum.
 */
#ifndef ACLGRAD_ACLNNOP_ACLNN_MSE_LOSS_BACKWARD_H_
#define ACLGRAD_ACLNNOP_ACLNN_MSE_LOSS_BACKWARD_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * out = 2 * (self - target) * gradOutput, for reduction 1 divided by the number of elements of the
 * broadcast of self and target: the gradient with respect to self. All three inputs have one dtype
 * and broadcast to exactly out's shape; out's dtype is any of the list. Order of the checks:
 * gradOutput, self, target, out not null; gradOutput's dtype is self's; target's dtype is self's;
 * self's dtype; out's dtype; reduction; ranks at most 8; gradOutput broadcasts with self; target
 * too; out's shape. An empty out: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMseLossBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target, int64_t reduction,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMseLossBackward(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif /* ACLGRAD_ACLNNOP_ACLNN_MSE_LOSS_BACKWARD_H_ */
