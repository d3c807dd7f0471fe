/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Softmax of scaled scores of attention, some of which are masked out.
 *
 * y may be x.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * y = softmax(z) along the last dimension, z = scale * x, and -10000 where mask is true: a row that
 * is masked out as a whole is uniform. With fixedTriuMask masked out are columns j > i of row i
 * instead. x, of rank 4, and y are FLOAT, FLOAT16, or BF16 on Atlas A2, A3 and 950, both alike;
 * mask is BOOL, of rank 4, and broadcasts to x. The computation runs in DOUBLE and rounds once. An
 * empty x: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnScaledMaskedSoftmaxGetWorkspaceSize(
    const aclTensor* x, const aclTensor* mask, double scale, bool fixedTriuMask, aclTensor* y,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnScaledMaskedSoftmax(void* workspace, uint64_t workspaceSize,
                                                         aclOpExecutor* executor,
                                                         aclrtStream stream);

ACLGRAD_END_DECLS
