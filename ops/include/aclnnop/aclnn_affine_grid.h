/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The places that an affine map gives the elements of images, for grid samplers.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out[b, .., :] = theta[b] * (x, y, 1) for every element of an image, or theta[b] * (x, y, z, 1): x
 * belongs to the last dimension. Along a dimension of size s, element i has the coordinate (2 i +
 * 1) / s - 1, or with alignCorners 2 i / (s - 1) - 1, which is 0 for s = 1. Computed in DOUBLE and
 * rounded once.
 *
 * size is [N, C, H, W] or [N, C, D, H, W]; theta is [N, 2, 3] or [N, 3, 4], out [N, H, W, 2] or [N,
 * D, H, W, 3]. Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3 and 950; out has that
 * of theta. An empty out: success.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnAffineGridGetWorkspaceSize(const aclTensor* theta,
                                                                const aclIntArray* size,
                                                                bool alignCorners, aclTensor* out,
                                                                uint64_t* workspaceSize,
                                                                aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAffineGrid(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
