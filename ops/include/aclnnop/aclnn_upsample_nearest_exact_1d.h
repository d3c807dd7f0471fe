/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resizes the last dimension of a tensor: the nearest element.
 *
 * No output may overlap an input. Data types: FLOAT, FLOAT16, DOUBLE, UINT8, and BF16 on Atlas
 * A2, A3 and 950.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Element i of an axis is number min(floor((i + 1/2) r), in - 1) of self, the one that the
 * middle of the element is in. The coordinate is taken in FLOAT. r is in / out, or 1 / scale
 * with the axis's scale (scales) where that leads to its size: where floor(in scale) is out. A
 * scale that is a number of FLOAT also counts where the next larger one leads there. Other
 * scales, such as 0, -1 and NaN, do not count.
 *
 * self and out are [N, C, W], of which only N may be 0, of one dtype, in the format ND, NCL,
 * NCHW or NCDHW; outputSize is the width of out.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnUpsampleNearestExact1dGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* outputSize, double scales, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnUpsampleNearestExact1d(void* workspace, uint64_t workspaceSize,
                                                            aclOpExecutor* executor,
                                                            aclrtStream stream);

ACLGRAD_END_DECLS
