/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resizes the last two dimensions of a tensor: interpolated by cubic polynomials.
 *
 * No output may overlap an input. Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3
 * and 950.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Element i of an axis lies at x = r (i + 1/2) - 1/2, or r i with alignCorners: it is the sum of
 * numbers floor(x) - 1 to floor(x) + 2 of self, those beyond the ends being the last ones, with
 * the weights of Keys's cubic kernel for a = -0.75. Along both axes the weights are multiplied. r
 * is in / out, or 1 / scale with the axis's scale (scalesH and scalesW) where that leads to its
 * size: where floor(in scale) is out. A scale that is a number of FLOAT also counts where the next
 * larger one leads there. Other scales, such as 0, -1 and NaN, do not count. With alignCorners it
 * is (in - 1) / (out - 1), and 0 for one element. Coordinates are taken in FLOAT, of DOUBLE
 * tensors in DOUBLE; sums in DOUBLE, rounded once. An element that counts 0 is read: a NaN or an
 * infinity there gives NaN.
 *
 * self and out are [N, C, H, W], of which only N may be 0, of one dtype, in the format ND, NCL,
 * NCHW or NCDHW; outputSize is the height and the width of out.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnUpsampleBicubic2dGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* outputSize, bool alignCorners, double scalesH,
    double scalesW, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnUpsampleBicubic2d(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
