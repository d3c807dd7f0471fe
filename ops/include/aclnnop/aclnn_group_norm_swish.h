/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Group normalization and its swish.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * z = (x - mean) * rstd * gamma + beta for every group of channels of every image of x [N, C,
 * ...], rank 2 to 8, with the group's mean and rstd = 1 / sqrt(variance + eps); yOut = z / (1 +
 * e^(-swishScale * z)) with activateSwish, and z without. numGroups, above 0, divides C; gamma and
 * beta are [C], meanOut and rstdOut [N, numGroups]. dataFormat is "NCHW".
 *
 * Data types: FLOAT, FLOAT16, or BF16 on Atlas A2, A3 and 950; yOut has x's, beta, meanOut and
 * rstdOut have gamma's. eps and swishScale have any value. The computation runs in DOUBLE and
 * rounds once. yOut must not overlap other tensors. Of an empty x meanOut becomes 0 and rstdOut
 * NaN.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGroupNormSwishGetWorkspaceSize(
    const aclTensor* x, const aclTensor* gamma, const aclTensor* beta, int64_t numGroups,
    char* dataFormat, double eps, bool activateSwish, double swishScale, aclTensor* yOut,
    aclTensor* meanOut, aclTensor* rstdOut, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGroupNormSwish(void* workspace, uint64_t workspaceSize,
                                                    aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
