/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mean and deviation of the channels of a part of a batch.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * mean = each channel's mean over all dimensions of input but dimension 1, the channels, and
 * invstd = 1 / sqrt(v + eps) of its biased variance v, both [C]; 0 where v + eps is 0, as PyTorch
 * has it. Ranks that hold parts of one batch gather them (aclnnBatchNormGatherStatsWithCounts).
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, or BF16 on Atlas A2, A3 and 950, of each tensor freely. eps
 * has any value. The computation runs in DOUBLE and rounds once. Limits: input has rank 2 to 8 and
 * its channels, C, in dimension 1, and no private format. Of an empty input mean becomes 0 and
 * invstd NaN.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnBatchNormStatsGetWorkspaceSize(const aclTensor* input,
                                                                    double eps, aclTensor* mean,
                                                                    aclTensor* invstd,
                                                                    uint64_t* workspaceSize,
                                                                    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnBatchNormStats(void* workspace, uint64_t workspaceSize,
                                                    aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
