/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Normalization of groups of channels.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self is N images of C channels of HxW elements, whatever its shape is. out = (self - mean) *
 * rstd * gamma + beta, with the mean and rstd = 1 / sqrt(biased variance + eps) of each image's
 * group of C / group channels, which are written too, and gamma and beta, an element for each
 * channel; null stands for 1 and 0. Data types: FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950,
 * of all tensors the same. The computation runs in DOUBLE and rounds once. Limits: group above 0
 * and a divisor of C; eps above 0; formats of self and out not with the channels last and not
 * private. An empty self: meanOut becomes 0, rstdOut NaN.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGroupNormGetWorkspaceSize(
    const aclTensor* self, const aclTensor* gamma, const aclTensor* beta, int64_t N, int64_t C,
    int64_t HxW, int64_t group, double eps, aclTensor* out, aclTensor* meanOut, aclTensor* rstdOut,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGroupNorm(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
