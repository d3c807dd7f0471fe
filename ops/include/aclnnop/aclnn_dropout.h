/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dropout (Srivastava et al. 2014), with the mask that the gradient needs.
 *
 *   out = input / (1 - p) where an element is kept, 0 elsewhere
 *
 * maskOut is that of aclnnDropoutGenMask for the input's shape, p, seed and offset. Without
 * training, or for p = 0, the input is copied; for p = 1 everything is 0. maskOut is left as it was
 * then.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * input, out  FLOAT, FLOAT16; BF16 (Ascend910B, Ascend910_93, Ascend950); they may differ; rank 0
 * to 8 p           the probability of an element to be dropped, 0 to 1 out         shape of input
 * maskOut     UINT8, with n / 8 elements, rounded up to a multiple of 16, for the n of input
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnDropoutGetWorkspaceSize(
    const aclTensor* input, double p, bool train, int64_t seed, int64_t offset, aclTensor* out,
    aclTensor* maskOut, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnDropout(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
