/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connectionist temporal classification (Graves et al. 2006): of all alignments of labels to steps.
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
 * no class, or blank, ends the task with an error, which the next synchronisation of the stream
 * returns, and a message that names it; nothing is written then.
 *
 * For a sample with labels l[1] ... l[S] let l' = blank, l[1], blank, ..., l[S], blank. a[0, s] =
 * p[0, l'[s]] for s < 2, else -inf, and a[t, s] = p[t, l'[s]] + log(e^a[t - 1, s] + e^a[t - 1, s -
 * 1] + e^a[t - 1, s - 2]), the last only where l'[s] differs from l'[s - 2]. negLogLikelihood =
 * -log(e^a[T' - 1, 2 S] + e^a[T' - 1, 2 S - 1]) for T' = inputLength; infinity where no alignment
 * is possible. Without steps (T' = 0) it is 0 for no labels, else infinity.
 *
 * negLogLikelihood is [N], of one sample []. logAlpha is [N, T, K] with any K from 2
 * max(targetLengths) + 1 on and holds a: -inf behind a sample's 2 S + 1 numbers, 0 from its step T'
 * on. zeroInfinity changes nothing here: an infinite loss stays one, and only its gradient becomes
 * 0. Limits: logProbs has elements.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnCtcLossGetWorkspaceSize(
    const aclTensor* logProbs, const aclTensor* targets, const aclIntArray* inputLengths,
    const aclIntArray* targetLengths, int64_t blank, bool zeroInfinity, aclTensor* negLogLikelihood,
    aclTensor* logAlpha, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnCtcLoss(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
