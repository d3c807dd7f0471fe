/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient of the mean squared error.
 *
 * Data types: FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950. The computation runs in DOUBLE with
 * sums in a fixed order, and rounds once. reduction: 0 none, 1 mean, 2 sum.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = 2 * (self - target) * gradOutput, for reduction 1 divided by the number of elements of the
 * broadcast of self and target: the gradient with respect to self. All three inputs have one dtype
 * and broadcast to exactly out's shape; out's dtype is any of the list. Limits: ranks at most 8;
 * gradOutput broadcasts with self. An empty out: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMseLossBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target, int64_t reduction,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMseLossBackward(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
