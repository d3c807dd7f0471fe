/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient of connectionist temporal classification, through a log-softmax.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3 and 950; all tensors but targets
 * have one. targets: INT64, INT32. Computed in DOUBLE, every element rounded once: the same bits
 * with any number of threads.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * logProbs is [T, N, C], or [T, C] for one sample (N = 1): T steps of the logarithms of
 * probabilities, as a log-softmax gives them. targets is [N, S], padded behind, with S at least the
 * longest target, or all targets one behind the other in one dimension, as long as they are
 * together. inputLengths and targetLengths have N numbers: of steps, within [0, T], and of labels,
 * at least 0. blank and all labels are classes within [0, C); a label is not blank. A label that is
 * no class ends the task with an error, which the next synchronisation of the stream returns, and a
 * message that names it; nothing is written then.
 *
 * negLogLikelihood and logAlpha are those of aclnnCtcLoss, of the sizes there; gradOut has the size
 * of negLogLikelihood, gradInput that of logProbs. With b, a mirrored from the last step and label
 * on: gradInput[t, n, c] = gradOut[n] * (e^p[t, c] - sum of e^(a[t, s] + b[t, s] +
 * negLogLikelihood[n] - p[t, c]) over the s with l'[s] = c). States of probability 0 count 0. 0
 * from step T' on. For an infinite loss: NaN, or 0 with zeroInfinity.
 *
 * This is the gradient with respect to the logits of the log-softmax that logProbs are. Carried
 * through that log-softmax, whose gradient leaves it unchanged, it is the right one; logProbs that
 * are no log-softmax have another gradient. Limits: logProbs has elements.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnCtcLossBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclTensor* logProbs, const aclTensor* targets,
    const aclIntArray* inputLengths, const aclIntArray* targetLengths,
    const aclTensor* negLogLikelihood, const aclTensor* logAlpha, int64_t blank, bool zeroInfinity,
    aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnCtcLossBackward(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
