/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Softplus, a smooth ReLU.
 *
 *   out = self                              beta * self > threshold
 *         log(1 + e^(beta * self)) / beta   otherwise
 *
 * A beta of 0 divides by zero. NaN stays.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self, out   FLOAT, FLOAT16; BF16 (Ascend910B, Ascend910_93, Ascend950); they may differ; rank 0
 *             to 8
 * beta, threshold
 *             read as FLOAT; not complex
 * out         shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSoftplusGetWorkspaceSize(
    const aclTensor* self, const aclScalar* beta, const aclScalar* threshold, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSoftplus(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, const aclrtStream stream);

ACLGRAD_END_DECLS
