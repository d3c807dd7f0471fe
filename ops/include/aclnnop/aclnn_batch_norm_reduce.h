/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums over the channels of a part of a batch.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * sum = the sum of each channel's elements and squareSum that of their squares, both [C], over all
 * dimensions of self but dimension 1, the channels. Ranks that hold parts of one batch gather them
 * (aclnnSyncBatchNormGatherStats).
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, or BF16 on Atlas A2, A3 and 950, of each tensor freely. The
 * computation runs in DOUBLE and rounds once. Limits: self has rank 2 to 8 and its channels, C, in
 * dimension 1, and no private format. Without elements the sums are 0.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnBatchNormReduceGetWorkspaceSize(const aclTensor* self,
                                                                     aclTensor* sum,
                                                                     aclTensor* squareSum,
                                                                     uint64_t* workspaceSize,
                                                                     aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnBatchNormReduce(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
