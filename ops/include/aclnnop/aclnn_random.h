/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random integers, all with the same probability.
 *
 * Element i, counted in row-major order of the view, takes the block of Philox4x32-10
 * (aclnn_normal.h) with the counter (low and high half of i, low and high half of offset): with
 * its words w0, w1, w2, w3, the element is from + n * (w3 * 2^96 + w2 * 2^64 + w1 * 2^32 + w0) /
 * 2^128, rounded down, of n integers that are possible. Floating dtypes round it.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, and BF16 on Atlas
 * A2, A3 and 950. Rank at most 8. An empty selfRef: success.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Integers in [from, to). Limits: from below to; from and to - 1 are within selfRef's dtype.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceRandomGetWorkspaceSize(aclTensor* selfRef, int64_t from,
                                                                   int64_t to, int64_t seed,
                                                                   int64_t offset,
                                                                   uint64_t* workspaceSize,
                                                                   aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceRandom(void* workspace, uint64_t workspaceSize,
                                                   aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnInplaceRandom with the seed in a tensor and an offset of offsetTensor's value plus `offset`,
 * both read when the work runs; each tensor INT64 of shape [1].
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceRandomTensorGetWorkspaceSize(
    aclTensor* selfRef, int64_t from, int64_t to, const aclTensor* seedTensor,
    const aclTensor* offsetTensor, int64_t offset, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceRandomTensor(void* workspace, uint64_t workspaceSize,
                                                         aclOpExecutor* executor,
                                                         aclrtStream stream);

/*
 * Integers from 0 to the largest of selfRef's dtype, and with it; of floating dtypes, to the number
 * up to which they have all integers: 2^24 of FLOAT, 2^11 of FLOAT16, 2^8 of BF16, 2^53 of DOUBLE.
 */
ACL_FUNC_VISIBILITY aclnnStatus
aclnnInplaceRandomWithoutFromToGetWorkspaceSize(aclTensor* selfRef, int64_t seed, int64_t offset,
                                                uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceRandomWithoutFromTo(void* workspace,
                                                                uint64_t workspaceSize,
                                                                aclOpExecutor* executor,
                                                                aclrtStream stream);

/*
 * aclnnInplaceRandomWithoutFromTo with seed and offset in tensors, as aclnnInplaceRandomTensor.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceRandomWithoutFromToTensorGetWorkspaceSize(
    aclTensor* selfRef, const aclTensor* seedTensor, const aclTensor* offsetTensor, int64_t offset,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceRandomWithoutFromToTensor(void* workspace,
                                                                      uint64_t workspaceSize,
                                                                      aclOpExecutor* executor,
                                                                      aclrtStream stream);

ACLGRAD_END_DECLS
