/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The derivative of Hardsigmoid.
 *
 *   gradInput = gradOutput / 6   -3 < x < 3
 *               0                otherwise, as where x is NaN
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradOutput, self  FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950); they may
 *                   differ; one shape of rank 0 to 8
 * gradInput         of the same list of dtypes, and of the shape of the two; may be either.
 *                   Computed in the dtype that they promote to
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnHardsigmoidBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, aclTensor* gradInput,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnHardsigmoidBackward(void* workspace, uint64_t workspaceSize,
                                                         aclOpExecutor* executor,
                                                         aclrtStream stream);

ACLGRAD_END_DECLS
