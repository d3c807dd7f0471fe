/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of a scaled loss: are they finite, and unscaled. */
#pragma once

#include "aclnnop/aclnn_foreach_common.h" /* what holds for every function over lists */

ACLGRAD_BEGIN_DECLS

/*
 * scaledGrads[i] = scaledGrads[i] * inverseScale, in place, with one rounding; infinities and NaN
 * are multiplied like the others. foundInf becomes 1 if an element of any tensor was infinite or
 * NaN before; otherwise it stays as it is, so that several calls can share it. Data types: FLOAT,
 * FLOAT16, and BF16 on Atlas A2, A3 and 950; foundInf and inverseScale FLOAT, one element each.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachNonFiniteCheckAndUnscaleGetWorkspaceSize(
    aclTensorList* scaledGrads, aclTensor* foundInf, const aclTensor* inverseScale,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachNonFiniteCheckAndUnscale(void* workspace,
                                                                     uint64_t workspaceSize,
                                                                     aclOpExecutor* executor,
                                                                     aclrtStream stream);

ACLGRAD_END_DECLS
