/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements of a batch, normalized by given statistics.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = (input - mean) * invstd * weight + bias for every channel, dimension 1. mean, invstd,
 * weight and bias are [C]; null weight and bias stand for 1 and 0. eps is not used: it is in
 * invstd.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, or BF16 on Atlas A2, A3 and 950; out has input's, the others
 * any. The computation runs in DOUBLE and rounds once. Limits: input has rank 2 to 8 and its
 * channels, C, in dimension 1, and no private format. out must not overlap other tensors. An empty
 * input succeeds.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnBatchNormElemtGetWorkspaceSize(
    const aclTensor* input, const aclTensor* weight, const aclTensor* bias, const aclTensor* mean,
    const aclTensor* invstd, double eps, aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnBatchNormElemt(void* workspace, uint64_t workspaceSize,
                                                    aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
