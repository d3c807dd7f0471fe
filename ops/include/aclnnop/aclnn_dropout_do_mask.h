/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dropout with a mask that was drawn before (aclnn_dropout_gen_mask.h).
 *
 *   out = self / (1 - prob) where the element's bit is 1, 0 elsewhere
 *
 * 1 - prob is rounded to self's dtype first. For prob = 0 self is copied, for prob = 1 everything
 * is 0; the mask is not read then. The gradient is the same operator on the gradient.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self, out   FLOAT, FLOAT16; BF16 (Ascend910B, Ascend910_93, Ascend950); they may differ; rank 0
 * to 8 mask        UINT8, with at least n / 8 elements, rounded up to a multiple of 16, for the n
 * of self prob        0 to 1 out         shape of self; may be self
 *
 * An empty self or mask succeeds behind the checks for null; nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnDropoutDoMaskGetWorkspaceSize(const aclTensor* self,
                                                                   const aclTensor* mask,
                                                                   double prob, aclTensor* out,
                                                                   uint64_t* workspaceSize,
                                                                   aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnDropoutDoMask(void* workspace, uint64_t workspaceSize,
                                                   aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
