/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The derivative of the logistic function, by the forward's output y.
 *
 *   gradInput = gradOutput * y * (1 - y)
 *
 * NaN in either gives NaN.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradOutput  FLOAT, FLOAT16, DOUBLE, COMPLEX64, COMPLEX128, BF16; rank 0 to 8
 * output      y, the result of the forward; a dtype of the same list; the shapes broadcast
 * gradInput   a dtype of the same list to which the common one of the two converts; the broadcast
 *             shape; may be either
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSigmoidBackwardGetWorkspaceSize(const aclTensor* gradOutput,
                                                                     const aclTensor* output,
                                                                     aclTensor* gradInput,
                                                                     uint64_t* workspaceSize,
                                                                     aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSigmoidBackward(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor,
                                                     const aclrtStream stream);

ACLGRAD_END_DECLS
