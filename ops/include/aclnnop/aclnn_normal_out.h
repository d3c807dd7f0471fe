/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Normally distributed random numbers, of one mean and deviation or of a tensor of them.
 *
 * The generator and the formula are those of aclnn_normal.h: with the same seed and offset,
 * element i is mean + std * z of the same z.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out ~ N(mean, std^2). Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3 and 950.
 * Limits: std not below 0 (NaN passes); rank at most 8. An empty out: success.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnNormalFloatFloatGetWorkspaceSize(float mean, float std,
                                                                      int64_t seed, int64_t offset,
                                                                      aclTensor* out,
                                                                      uint64_t* workspaceSize,
                                                                      aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnNormalFloatFloat(void* workspace, uint64_t workspaceSize,
                                                      aclOpExecutor* executor, aclrtStream stream);

/*
 * The same with a tensor of deviations, which broadcasts to out's shape and is read when the work
 * runs; it may have another of the data types. An element below 0 ends the task with an error,
 * which the next synchronisation of the stream returns; nothing is written then.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnNormalFloatTensorGetWorkspaceSize(
    float mean, const aclTensor* std, int64_t seed, int64_t offset, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnNormalFloatTensor(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor, aclrtStream stream);

/*
 * The same with a tensor of means.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnNormalTensorFloatGetWorkspaceSize(
    const aclTensor* mean, float std, int64_t seed, int64_t offset, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnNormalTensorFloat(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor, aclrtStream stream);

/*
 * The same with both in tensors.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnNormalTensorTensorGetWorkspaceSize(
    const aclTensor* mean, const aclTensor* std, int64_t seed, int64_t offset, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnNormalTensorTensor(void* workspace, uint64_t workspaceSize,
                                                        aclOpExecutor* executor,
                                                        aclrtStream stream);

ACLGRAD_END_DECLS
