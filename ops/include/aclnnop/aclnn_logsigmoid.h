/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The logarithm of the logistic function.
 *
 *   out = min(self, 0) - log(1 + e^-|self|)
 *
 * NaN stays.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * out         dtype and shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLogSigmoidGetWorkspaceSize(const aclTensor* self,
                                                                aclTensor* out,
                                                                uint64_t* workspaceSize,
                                                                aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLogSigmoid(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnLogSigmoid with the buffer that frameworks keep for the backward.
 *
 * self        FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * out         dtype and shape of self
 * buffer      dtype of self, of any shape: one of the shape of self is filled with e^-|self|, any
 *             other is left as it is. Nothing reads it
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLogSigmoidForwardGetWorkspaceSize(const aclTensor* self,
                                                                       aclTensor* out,
                                                                       aclTensor* buffer,
                                                                       uint64_t* workspaceSize,
                                                                       aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLogSigmoidForward(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
