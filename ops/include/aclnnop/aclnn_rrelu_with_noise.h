/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A leaky ReLU whose slopes are random.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * In training, where selfRef <= 0: noise = r, rounded to its dtype, and selfRef = r * selfRef, with
 * r = lower + (upper - lower) * u; elsewhere noise = 1 and selfRef stays. u in [0, 1) is what
 * aclnnInplaceUniform gives the element in a DOUBLE tensor. Otherwise selfRef <= 0 is multiplied by
 * (lower + upper) / 2, and noise is not written. Computed in DOUBLE and rounded once. The gradient
 * in training is that of selfRef times noise.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3 and 950; noise, which is written
 * although it is const, has that of selfRef. lower, upper: real numbers. Limits: rank at most 8;
 * noise has selfRef's shape; lower not above upper. An empty selfRef: success.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceRReluWithNoiseGetWorkspaceSize(
    aclTensor* selfRef, const aclTensor* noise, const aclScalar* lower, const aclScalar* upper,
    bool training, int64_t seed, int64_t offset, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceRReluWithNoise(void* workspace, uint64_t workspaceSize,
                                                           aclOpExecutor* executor,
                                                           aclrtStream stream);

ACLGRAD_END_DECLS
