/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Uniformly distributed random numbers.
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
 * selfRef ~ uniform on [from, to); all elements are `from` when from = to. With the element's
 * words a, b: value = from + (to - from) * (b * 2^21 + floor(a / 2^11)) / 2^53, computed in DOUBLE
 * and rounded once, but never up to `to`: then the largest number of the dtype below it. Integers
 * are truncated. Data types: FLOAT, INT32, INT64, FLOAT16, INT16, INT8, UINT8, DOUBLE, and BF16 on
 * Atlas A2, A3 and 950. Limits: rank at most 8; from not above to. An empty selfRef: success.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceUniformGetWorkspaceSize(const aclTensor* selfRef,
                                                                    double from, double to,
                                                                    uint64_t seed, uint64_t offset,
                                                                    uint64_t* workspaceSize,
                                                                    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceUniform(void* workspace, uint64_t workspaceSize,
                                                    aclOpExecutor* executor,
                                                    const aclrtStream stream);

/*
 * aclnnInplaceUniform with the seed in a tensor and an offset of offsetTensor's value plus
 * `offset`, both read when the work runs; each tensor INT64 with one element. Limits: from not
 * above to.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceUniformTensorGetWorkspaceSize(
    const aclTensor* selfRef, double from, double to, const aclTensor* seedTensor,
    const aclTensor* offsetTensor, uint64_t offset, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceUniformTensor(void* workspace, uint64_t workspaceSize,
                                                          aclOpExecutor* executor,
                                                          aclrtStream stream);

ACLGRAD_END_DECLS
