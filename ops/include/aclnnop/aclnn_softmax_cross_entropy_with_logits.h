/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cross entropy of softmax and probabilities, with its gradient.
 *
 * Data types: FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950; all tensors have one. The
 * computation runs in DOUBLE with sums in a fixed order, and rounds once.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * For rows of features and labels [N, C]: loss[n] = -sum over c of labels[n, c] *
 * log_softmax(features[n])[c], where a label of 0 counts 0 whatever the feature; backprop[n, c] =
 * softmax(features[n])[c] - labels[n, c], which is the gradient where the labels of a row are 1
 * together. labels and backprop have the size of features, loss is [N]. Rows without classes have
 * the loss 0. Limits: features of rank 2.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSoftmaxCrossEntropyWithLogitsGetWorkspaceSize(
    const aclTensor* features, const aclTensor* labels, aclTensor* loss, aclTensor* backprop,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSoftmaxCrossEntropyWithLogits(void* workspace,
                                                                   uint64_t workspaceSize,
                                                                   aclOpExecutor* executor,
                                                                   aclrtStream stream);

ACLGRAD_END_DECLS
