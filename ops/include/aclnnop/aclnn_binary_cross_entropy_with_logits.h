/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binary cross entropy of logits.
 *
 *   l = weight * ((1 - t) x + (1 + (posWeight - 1) t) log(1 + e^-x)), x = self, t = target
 *
 * out is l, its mean over all elements, or their sum. It is computed in DOUBLE and rounded to out's
 * dtype. Without elements a mean is NaN, a sum 0. At an infinity in self l is the limit: 0 where
 * weight (1 - t) (at +infinity) or weight posWeight t (at -infinity) is 0.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * all         FLOAT, FLOAT16; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * target      shape of self
 * weightOptional, posWeightOptional
 *             broadcast to target's shape; null for 1
 * reduction   0 none, 1 mean, 2 sum
 * out         dtype of target; shape of target for none, else one element
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnBinaryCrossEntropyWithLogitsGetWorkspaceSize(
    const aclTensor* self, const aclTensor* target, const aclTensor* weightOptional,
    const aclTensor* posWeightOptional, int64_t reduction, aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnBinaryCrossEntropyWithLogits(void* workspace,
                                                                  uint64_t workspaceSize,
                                                                  aclOpExecutor* executor,
                                                                  const aclrtStream stream);

ACLGRAD_END_DECLS
