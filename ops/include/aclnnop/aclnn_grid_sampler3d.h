/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images read at the places of a grid.
 *
 * No output may overlap an input. Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3
 * and 950, the same for all tensors. Sums are taken in DOUBLE and rounded once.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * input is [N, C, D, H, W], of which only N may be 0, in the format ND or that of its rank; grid
 * is [N, d, h, w, 3] with the coordinates (x, y, z), -1 and 1 being the ends of the last axis
 * first; out is [N, C, d, h, w]. A coordinate is u = (x + 1) / 2 (n - 1) in an axis of n
 * elements with alignCorners, else ((x + 1) n - 1) / 2, taken in DOUBLE.
 *
 * interpolationMode: 0 linear along every axis, 1 the nearest element (of two the even one).
 *
 * paddingMode, of coordinates beyond the elements: 0 elements there are 0; 1 the last element; 2
 * reflected at the middles of the first and last elements with alignCorners, else at their outer
 * sides, then as 1.
 *
 * A coordinate that is NaN makes NaN; nothing outside is ever read. An element inside that counts 0
 * is read: a NaN or an infinity there gives NaN.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGridSampler3DGetWorkspaceSize(
    const aclTensor* input, const aclTensor* grid, int64_t interpolationMode, int64_t paddingMode,
    bool alignCorners, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGridSampler3D(void* workspace, uint64_t workspaceSize,
                                                   aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
