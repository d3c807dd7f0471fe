/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resizes the last dimension of a tensor: interpolated linearly.
 *
 * No output may overlap an input. Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3
 * and 950.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Element i of an axis lies at x = max(0, r (i + 1/2) - 1/2), or r i with alignCorners: it is (1 -
 * t) times number floor(x) of self plus t times the next one, with t = x - floor(x). Along several
 * axes the weights are multiplied. r is in / out, or 1 / scale with the axis's scale (scales)
 * where that leads to its size: where floor(in scale) is out. A scale that is a number of FLOAT
 * also counts where the next larger one leads there. Other scales, such as 0, -1 and NaN, do not
 * count. An axis that keeps its size is copied, whatever its scale is. With alignCorners r is (in
 * - 1) / (out - 1), and 0 for one element. Coordinates are taken in FLOAT, of DOUBLE tensors in
 * DOUBLE; sums in DOUBLE, rounded once. An element that counts 0 is read: a NaN or an infinity
 * there gives NaN.
 *
 * self and out are [N, C, W], of which only N may be 0, of one dtype, in the format ND, NCL,
 * NCHW or NCDHW; outputSize is the width of out.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnUpsampleLinear1dGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* outputSize, bool alignCorners, double scales,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnUpsampleLinear1d(void* workspace, uint64_t workspaceSize,
                                                      aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
