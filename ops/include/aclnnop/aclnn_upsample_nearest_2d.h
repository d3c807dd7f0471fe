/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resizes the last two dimensions of a tensor: the nearest element.
 *
 * No output may overlap an input. Data types: FLOAT, FLOAT16, DOUBLE, UINT8, and BF16 on Atlas
 * A2, A3 and 950.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Element i of an axis is number min(floor(i r), in - 1) of self; number i where the sizes are
 * equal, i / 2 rounded down where out is twice in. The coordinate i r is taken in FLOAT. r is in
 * / out.
 *
 * self and out are [N, C, H, W], of which only N may be 0, of one dtype, in the format ND, NCL,
 * NCHW or NCDHW; outputSize is the height and the width of out.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnUpsampleNearest2dGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* outputSize, aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnUpsampleNearest2d(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor, aclrtStream stream);

/*
 * The same with scales. r is in / out, or 1 / scale with the axis's scale (scaleH and scaleW)
 * where that leads to its size: where floor(in scale) is out. A scale that is a number of FLOAT
 * also counts where the next larger one leads there. Other scales, such as 0, -1 and NaN, do not
 * count. All else is as above.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnUpsampleNearest2dV2GetWorkspaceSize(
    const aclTensor* self, const aclIntArray* outputSize, float scaleH, float scaleW,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnUpsampleNearest2dV2(void* workspace, uint64_t workspaceSize,
                                                         aclOpExecutor* executor,
                                                         aclrtStream stream);

ACLGRAD_END_DECLS
