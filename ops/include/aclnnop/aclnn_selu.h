/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SELU: the scaled exponential linear unit.
 *
 *   out = lambda * x                      x > 0
 *         lambda * alpha * (e^x - 1)      x <= 0
 *
 * with alpha = 1.6732632423543772848 and lambda = 1.0507009873554804934. NaN stays NaN; +infinity
 * stays, -infinity gives -lambda * alpha. Integers take the exact real value, cut off towards zero
 * and held to the type's range.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self, out   FLOAT, FLOAT16, INT32, INT8, BF16 (Ascend910B, Ascend910_93, Ascend950); each from
 *             the list, they may differ: the result is converted (to integers towards zero)
 * out         shape of self, any rank; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSeluGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                          uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSelu(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnSelu with selfRef as both self and out.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceSeluGetWorkspaceSize(aclTensor* selfRef,
                                                                 uint64_t* workspaceSize,
                                                                 aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceSelu(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
