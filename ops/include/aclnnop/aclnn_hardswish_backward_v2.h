/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The derivative of Hardswish, second version: out = gradOutput * d with
 *
 *   d = 0               x <= -3
 *       x / 3 + 0.5     -3 < x < 3
 *       1               x >= 3
 *
 * The middle interval is open: d(-3) = 0 and d(3) = 1, the one-sided derivatives from outside.
 * The first version takes those from inside. NaN in x gives NaN. Below -3 the zero is multiplied,
 * so an infinite or NaN gradOutput gives NaN there.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradOutput  FLOAT, FLOAT16, BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * self        the forward's input x; dtype and shape of gradOutput
 * out         dtype and shape of self; may be gradOutput or self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnHardswishBackwardV2GetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnHardswishBackwardV2(void* workspace, uint64_t workspaceSize,
                                                         aclOpExecutor* executor,
                                                         aclrtStream stream);

ACLGRAD_END_DECLS
