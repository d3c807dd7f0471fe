/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binary cross entropy of probabilities.
 *
 *   l = -weight * (t * log(self) + (1 - t) * log(1 - self)), t = target
 *
 * where a logarithm counts at least -100. out is l, its mean over all elements, or their sum,
 * computed in DOUBLE and rounded once. Outside [0, 1] l is NaN. Without elements a mean is NaN, a
 * sum 0.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        probabilities; FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950);
 * rank 0 to 8 target      dtype and shape of self weight      dtype of self; broadcasts to its
 * shape; null for 1 reduction   0 none, 1 mean, 2 sum out         dtype of self; its shape for
 * none, else one element
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnBinaryCrossEntropyGetWorkspaceSize(
    const aclTensor* self, const aclTensor* target, const aclTensor* weight, int64_t reduction,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnBinaryCrossEntropy(void* workspace, uint64_t workspaceSize,
                                                        aclOpExecutor* executor,
                                                        aclrtStream stream);

ACLGRAD_END_DECLS
