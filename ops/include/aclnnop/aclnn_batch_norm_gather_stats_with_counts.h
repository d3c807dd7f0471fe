/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics of a batch from those of its parts.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Of the mean m_k, invstd and count n_k of every part (aclnnBatchNormStats), with v_k = 1 /
 * invstd^2 - eps: n = sum(n_k), m = sum(n_k m_k) / n and v = sum(n_k (v_k + (m_k - m)^2)) / n for
 * each channel. meanAll becomes m and invstdAll 1 / sqrt(v + eps). runningMean becomes (1 -
 * momentum) * runningMean + momentum * m in place, and runningVar the same of the unbiased
 * variance v n / (n - 1) (v, where n = 1); either may be null. A part whose count is 0 is left
 * out, whatever its statistics are. An invstd of 0 stands for v_k + eps = 0, and is the result
 * where v + eps is 0.
 *
 * mean and invstd are [parts, C], counts [parts] or [parts, 1], all others [C]; of input only the
 * number of channels counts, C in dimension 1. Data types: FLOAT, FLOAT16, DOUBLE, or BF16 on
 * Atlas A2, A3 and 950, of each tensor freely; counts may be INT32 or INT64, too. momentum and eps
 * are a C double, of any value. The computation runs in DOUBLE and rounds once. Without samples
 * results are NaN.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnBatchNormGatherStatsWithCountsGetWorkspaceSize(
    const aclTensor* input, const aclTensor* mean, const aclTensor* invstd, aclTensor* runningMean,
    aclTensor* runningVar, double momentum, double eps, const aclTensor* counts, aclTensor* meanAll,
    aclTensor* invstdAll, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnBatchNormGatherStatsWithCounts(void* workspace,
                                                                    uint64_t workspaceSize,
                                                                    aclOpExecutor* executor,
                                                                    aclrtStream stream);

ACLGRAD_END_DECLS
