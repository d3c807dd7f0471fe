/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instance normalization.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * y = (x - mean) / sqrt(variance + eps) * gamma + beta for every channel of every image, with its
 * mean and its biased variance over all other dimensions. x has rank 2 to 8, its channels, C, in
 * dimension 1 where dataFormat is "NCHW" or "NCDHW", and in the last where it is "NHWC" or
 * "NDHWC"; the rank is x's own. gamma and beta are [C], mean and variance x's shape with 1 in all
 * dimensions but the first and the channels.
 *
 * Data types: FLOAT, FLOAT16, or BF16 on Atlas A2, A3 and 950, of each tensor freely, but y has
 * x's. eps has any value. The computation runs in DOUBLE and rounds once. y must not overlap other
 * tensors. Of an empty x mean becomes 0 and variance NaN. It has no gradient of its own:
 * aclnnGroupNorm with as many groups as channels has.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInstanceNormGetWorkspaceSize(
    const aclTensor* x, const aclTensor* gamma, const aclTensor* beta, char* dataFormat, double eps,
    aclTensor* y, aclTensor* mean, aclTensor* variance, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInstanceNorm(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
