/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gradient of aclnnReplicationPad3d.
 *
 * No output may overlap an input. Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3
 * and 950, the same for all tensors.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Each element of gradInput is the sum of the elements of gradOutput that aclnnReplicationPad3d
 * makes of it with this padding, taken in DOUBLE in their order and rounded once; 0 for what
 * padding cuts. Of self only the size counts, which gradInput has; gradOutput has that of
 * aclnnReplicationPad3d's out. padding and the sizes are limited as there.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnReplicationPad3dBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclIntArray* padding,
    aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnReplicationPad3dBackward(void* workspace,
                                                              uint64_t workspaceSize,
                                                              aclOpExecutor* executor,
                                                              aclrtStream stream);

ACLGRAD_END_DECLS
