/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The derivative of Hardswish: out = gradOutput * d with
 *
 *   d = 0               x < -3
 *       x / 3 + 0.5     -3 <= x <= 3
 *       1               x > 3
 *
 * The middle interval is closed: d(-3) = -0.5 and d(3) = 1.5, the one-sided derivatives from
 * inside. Version 2 takes those from outside. NaN in x gives NaN. Below -3 the zero is multiplied,
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
ACL_FUNC_VISIBILITY aclnnStatus aclnnHardswishBackwardGetWorkspaceSize(const aclTensor* gradOutput,
                                                                       const aclTensor* self,
                                                                       aclTensor* out,
                                                                       uint64_t* workspaceSize,
                                                                       aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnHardswishBackward(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor,
                                                       const aclrtStream stream);

ACLGRAD_END_DECLS
