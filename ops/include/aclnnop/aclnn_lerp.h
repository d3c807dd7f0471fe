/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From self to end by a share.
 *
 *   out = self + weight * (end - self)
 *
 * Computed as self + weight (end - self) for |weight| < 0.5, otherwise as end - (end - self) (1 -
 * weight), so that a weight of 1 gives end exactly. Weights beyond 0 and 1 are right, too.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Computed in the dtype P that the tensors promote to.
 *
 * self, end, weight, out
 *             FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950);
 *             rank 0 to 8; P converts to out's dtype
 * out         the shape that the others broadcast to; may be one of them
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLerpGetWorkspaceSize(const aclTensor* self,
                                                          const aclTensor* end,
                                                          const aclTensor* weight, aclTensor* out,
                                                          uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLerp(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnLerp with out = selfRef.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceLerpGetWorkspaceSize(aclTensor* selfRef,
                                                                 const aclTensor* end,
                                                                 const aclTensor* weight,
                                                                 uint64_t* workspaceSize,
                                                                 aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceLerp(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnLerp with one number as weight, of a dtype that converts to FLOAT. It counts as FLOAT beside
 * tensors in FLOAT, FLOAT16 and BF16.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLerpsGetWorkspaceSize(const aclTensor* self,
                                                           const aclTensor* end,
                                                           const aclScalar* weight, aclTensor* out,
                                                           uint64_t* workspaceSize,
                                                           aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLerps(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnLerps with out = selfRef.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceLerpsGetWorkspaceSize(aclTensor* selfRef,
                                                                  const aclTensor* end,
                                                                  const aclScalar* weight,
                                                                  uint64_t* workspaceSize,
                                                                  aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceLerps(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
