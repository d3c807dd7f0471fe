/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Zeros and ones by chance.
 *
 * Element i is 1 where u < prob, else 0; u in [0, 1) is what aclnnInplaceUniform gives element i
 * of a DOUBLE tensor with the same seed and offset. So a probability of 0 or 1 is exact.
 *
 * Data types of the result: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16,
 * UINT32, UINT64, BOOL, COMPLEX64, COMPLEX128, and BF16 on Atlas A2, A3 and 950. Ranks at most 8.
 * An empty result: success.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * One probability for all: prob in [0, 1], FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64,
 * UINT8, BOOL, and BF16 on Atlas A2, A3 and 950.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceBernoulliGetWorkspaceSize(aclTensor* selfRef,
                                                                      const aclScalar* prob,
                                                                      int64_t seed, int64_t offset,
                                                                      uint64_t* workspaceSize,
                                                                      aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceBernoulli(void* workspace, uint64_t workspaceSize,
                                                      aclOpExecutor* executor, aclrtStream stream);

/*
 * prob: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3 and 950; broadcasts to selfRef's shape,
 * and is read when the work runs. An element outside [0, 1] ends the task with an error, which the
 * next synchronisation of the stream returns; nothing is written then.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceBernoulliTensorGetWorkspaceSize(
    aclTensor* selfRef, const aclTensor* prob, int64_t seed, int64_t offset,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceBernoulliTensor(void* workspace, uint64_t workspaceSize,
                                                            aclOpExecutor* executor,
                                                            aclrtStream stream);

/*
 * aclnnInplaceBernoulliTensor into out, which has self's shape; of self nothing else counts, and it
 * may be out.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnBernoulliTensorGetWorkspaceSize(
    const aclTensor* self, const aclTensor* prob, int64_t seed, int64_t offset, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnBernoulliTensor(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
