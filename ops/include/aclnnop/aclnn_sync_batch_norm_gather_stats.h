/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics of a batch from the sums of its parts.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Of the sums and numbers of samples of every part (aclnnBatchNormReduce): n = sum(sampleCount), m
 * = sum(totalSum) / n and v = sum(totalSquareSum) / n - m^2, at least 0, for each channel.
 * batchMean becomes m and batchInvstd 1 / sqrt(v + eps), 0 where v + eps is 0, as PyTorch has it.
 * meanRef becomes (1 - momentum) * meanRef + momentum * m in place, and varRef the same of the
 * unbiased variance v n / (n - 1) (v, where n = 1). Without samples all four become NaN.
 *
 * totalSum and totalSquareSum are [parts, C], sampleCount [parts] or [parts, 1], all others [C].
 * Data types: FLOAT, FLOAT16, DOUBLE, or BF16 on Atlas A2, A3 and 950, of each tensor freely;
 * sampleCount may be INT32 or INT64, too. momentum and eps are a C float, of any value. The
 * computation runs in DOUBLE, as the difference cancels, and rounds once.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSyncBatchNormGatherStatsGetWorkspaceSize(
    const aclTensor* totalSum, const aclTensor* totalSquareSum, const aclTensor* sampleCount,
    aclTensor* meanRef, aclTensor* varRef, float momentum, float eps, aclTensor* batchMean,
    aclTensor* batchInvstd, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSyncBatchNormGatherStats(void* workspace,
                                                              uint64_t workspaceSize,
                                                              aclOpExecutor* executor,
                                                              aclrtStream stream);

ACLGRAD_END_DECLS
