/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Kullback-Leibler divergence of log-probabilities from targets.
 *
 *   l = target * (log(target) - self)    with 0 log(0) = 0
 *       e^target * (target - self)       logTarget
 *
 * A NaN or an infinity of self makes NaN where target is 0.
 *
 * out is l, its mean over all elements, or their sum, computed in DOUBLE and rounded to what self
 * and target promote to. Frameworks make a mean over the batch of the sum. Without elements a mean
 * is NaN, a sum 0.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self, target
 *             promote to FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950);
 *             rank 0 to 8; they broadcast
 * reduction   0 none, 1 mean, 2 sum
 * out         what they promote to converts to its dtype; the shape that they broadcast to for
 *             none, else one element
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnKlDivGetWorkspaceSize(const aclTensor* self,
                                                           const aclTensor* target,
                                                           int64_t reduction, bool logTarget,
                                                           aclTensor* out, uint64_t* workspaceSize,
                                                           aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnKlDiv(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
