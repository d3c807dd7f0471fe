/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values held between two bounds.
 *
 *   out = min(max(self, clipValueMin), clipValueMax)
 *
 * Where the lower bound is above the upper one, the result is the upper bound. NaN in self stays; a
 * NaN as a bound makes every result NaN. Numbers as bounds: self and they are converted to out's
 * dtype first (2.7 is 2 for integers, and NaN is 0); on Ascend950 the result is, of what self and
 * the bounds promote to.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self, out   FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8; BF16 (Ascend910B,
 *             Ascend910_93, Ascend950);
 *             rank 0 to 8; self must convert to out's dtype
 * clipValueMin, clipValueMax
 *             of any real dtype; null for no bound, but not both
 * out         shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnClampGetWorkspaceSize(const aclTensor* self,
                                                           const aclScalar* clipValueMin,
                                                           const aclScalar* clipValueMax,
                                                           aclTensor* out, uint64_t* workspaceSize,
                                                           aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnClamp(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, const aclrtStream stream);

/*
 * aclnnClamp with the lower bound alone.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnClampMinGetWorkspaceSize(const aclTensor* self,
                                                              const aclScalar* clipValueMin,
                                                              aclTensor* out,
                                                              uint64_t* workspaceSize,
                                                              aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnClampMin(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, const aclrtStream stream);

/*
 * aclnnClamp with the upper bound alone.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnClampMaxGetWorkspaceSize(const aclTensor* self,
                                                              const aclScalar* clipValueMax,
                                                              aclTensor* out,
                                                              uint64_t* workspaceSize,
                                                              aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnClampMax(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnClampMax with selfRef as both input and output.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceClampMaxGetWorkspaceSize(const aclTensor* selfRef,
                                                                     const aclScalar* clipValueMax,
                                                                     uint64_t* workspaceSize,
                                                                     aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceClampMax(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnClamp with tensors as bounds. All count in the dtype that they promote to.
 *
 * self, clipValueMin, clipValueMax
 *             FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8; BF16 (Ascend910B,
 *             Ascend910_93, Ascend950); rank 0 to 8, which broadcast against each other; either
 *             bound may be null, but not both
 * out         one of these, to which the promoted dtype converts; the shape that they broadcast
 *             to; may be one of them
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnClampTensorGetWorkspaceSize(
    const aclTensor* self, const aclTensor* clipValueMin, const aclTensor* clipValueMax,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnClampTensor(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnClampTensor with the lower bound alone.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnClampMinTensorGetWorkspaceSize(const aclTensor* self,
                                                                    const aclTensor* clipValueMin,
                                                                    aclTensor* out,
                                                                    uint64_t* workspaceSize,
                                                                    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnClampMinTensor(void* workspace, uint64_t workspaceSize,
                                                    aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnClampTensor with the upper bound alone.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnClampMaxTensorGetWorkspaceSize(const aclTensor* self,
                                                                    const aclTensor* clipValueMax,
                                                                    aclTensor* out,
                                                                    uint64_t* workspaceSize,
                                                                    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnClampMaxTensor(void* workspace, uint64_t workspaceSize,
                                                    aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnClampMinTensor with selfRef as both input and output, to whose shape clipValueMin
 * broadcasts.
 */
ACL_FUNC_VISIBILITY aclnnStatus
aclnnInplaceClampMinTensorGetWorkspaceSize(aclTensor* selfRef, const aclTensor* clipValueMin,
                                           uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceClampMinTensor(void* workspace, uint64_t workspaceSize,
                                                           aclOpExecutor* executor,
                                                           aclrtStream stream);

/*
 * aclnnClampMaxTensor with selfRef as both input and output, to whose shape clipValueMax
 * broadcasts.
 */
ACL_FUNC_VISIBILITY aclnnStatus
aclnnInplaceClampMaxTensorGetWorkspaceSize(aclTensor* selfRef, const aclTensor* clipValueMax,
                                           uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceClampMaxTensor(void* workspace, uint64_t workspaceSize,
                                                           aclOpExecutor* executor,
                                                           aclrtStream stream);

ACLGRAD_END_DECLS
