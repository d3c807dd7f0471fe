/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The derivative of Softshrink.
 *
 *   gradInput = 0            -lambd <= x <= lambd
 *               gradOutput   otherwise, and where x is NaN
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradOutput, self  FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950); they may
 *                   differ, and broadcast; rank 0 to 8
 * lambd             of any real dtype; rounded to FLOAT unless the two promote to DOUBLE; not
 *                   looked at otherwise
 * gradInput         of the same list of dtypes; the shape that the two broadcast to. Computed in
 *                   the dtype that they promote to
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSoftshrinkBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclScalar* lambd,
    aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSoftshrinkBackward(void* workspace, uint64_t workspaceSize,
                                                        aclOpExecutor* executor,
                                                        aclrtStream stream);

ACLGRAD_END_DECLS
