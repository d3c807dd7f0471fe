/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Normally distributed random numbers.
 *
 * The generator is Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
 * 2011). Element i, counted in row-major order of the view, takes words 2(i mod 2) and 2(i mod 2) +
 * 1 of the block with the counter (low and high half of i / 2, low and high half of offset) and the
 * key (low and high half of seed). So a value depends on seed, offset and i only: not on shape,
 * strides or threads. The vendor's devices use other generators; values are not portable,
 * distributions are.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * selfRef ~ N(mean, std^2). With the element's words a, b: u = (a + 1) / 2^32, v = b / 2^32 and
 * value = mean + std * sqrt(-2 ln u) * cos(2 pi v) (Box and Muller), computed in DOUBLE and
 * rounded once; integers are converted from the FLOAT value (truncated, saturated). Data types:
 * FLOAT, FLOAT16, DOUBLE, INT16, INT32, INT64, INT8, UINT8, BOOL, and BF16 on Atlas A2, A3 and
 * 950. Limits: std not below 0 (NaN passes); rank at most 8. An empty selfRef: success.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceNormalGetWorkspaceSize(const aclTensor* selfRef,
                                                                   float mean, float std,
                                                                   int64_t seed, int64_t offset,
                                                                   uint64_t* workspaceSize,
                                                                   aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceNormal(void* workspace, uint64_t workspaceSize,
                                                   aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnInplaceNormal with the seed in a tensor and an offset of offsetTensor's value plus `offset`,
 * both read when the work runs; each tensor INT64 of shape [1].
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceNormalTensorGetWorkspaceSize(
    const aclTensor* selfRef, float mean, float std, const aclTensor* seedTensor,
    const aclTensor* offsetTensor, int64_t offset, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceNormalTensor(void* workspace, uint64_t workspaceSize,
                                                         aclOpExecutor* executor,
                                                         aclrtStream stream);

ACLGRAD_END_DECLS
