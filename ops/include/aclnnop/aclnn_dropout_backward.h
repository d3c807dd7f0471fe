/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gradient of dropout, from its mask.
 *
 *   out = gradOutput * scale where the element's bit is 1, 0 elsewhere
 *
 * scale is the 1 / (1 - p) of the forward. It is applied as aclnnDropoutDoMask does with prob = 1 -
 * 1 / scale; scale = 0 gives 0 everywhere.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradOutput, out
 *             FLOAT, FLOAT16; BF16 (Ascend910B, Ascend910_93, Ascend950); they may differ; rank 0
 * to 8 mask        UINT8, with n / 8 elements, rounded up to a multiple of 16, for the n of
 * gradOutput scale       0, or at least 1 out         shape of gradOutput; may be gradOutput
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnDropoutBackwardGetWorkspaceSize(const aclTensor* gradOutput,
                                                                     const aclTensor* mask,
                                                                     double scale, aclTensor* out,
                                                                     uint64_t* workspaceSize,
                                                                     aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnDropoutBackward(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
