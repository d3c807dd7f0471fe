/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Masks of dropout: one bit for each element of a shape, 1 to keep the element.
 *
 * Element i is bit i mod 8, counted from the least significant, of byte i / 8. Bits are drawn for
 * whole multiples of 128 elements.
 *
 * The generator is Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
 * 2011). Element i takes word i mod 4 of the block with the counter (low and high half of i / 4,
 * low and high half of offset) and the key (low and high half of seed): u = word / 2^32 + 2^-33, in
 * FLOAT, and the element is kept if u < 1 - prob. For prob = 0 all bits are 1, for prob = 1 all are
 * 0. The vendor's devices use other generators; masks are not portable, the distribution is.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * shape       0 to 8 sizes of at least 0; n is their product
 * prob        the probability of an element to be dropped, 0 to 1
 * out         UINT8, with n / 8 elements, rounded up to a multiple of 16
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnDropoutGenMaskGetWorkspaceSize(const aclIntArray* shape,
                                                                    double prob, int64_t seed,
                                                                    int64_t offset, aclTensor* out,
                                                                    uint64_t* workspaceSize,
                                                                    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnDropoutGenMask(void* workspace, uint64_t workspaceSize,
                                                    aclOpExecutor* executor, aclrtStream stream);

/*
 * As aclnnDropoutGenMask. probDataType is the dtype in which devices take prob: FLOAT, FLOAT16, or
 * BF16 on Ascend910B, Ascend910_93 and Ascend950. It changes nothing here.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnDropoutGenMaskV2GetWorkspaceSize(
    const aclIntArray* shape, double prob, int64_t seed, int64_t offset, aclDataType probDataType,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnDropoutGenMaskV2(void* workspace, uint64_t workspaceSize,
                                                      aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnDropoutGenMaskV2 with the seed in a tensor and an offset of offsetTensor's value plus
 * `offset`, both read when the work runs; each tensor INT64 with one element.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnDropoutGenMaskV2TensorGetWorkspaceSize(
    const aclIntArray* shape, double prob, const aclTensor* seedTensor,
    const aclTensor* offsetTensor, int64_t offset, aclDataType probDataType, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnDropoutGenMaskV2Tensor(void* workspace, uint64_t workspaceSize,
                                                            aclOpExecutor* executor,
                                                            aclrtStream stream);

ACLGRAD_END_DECLS
