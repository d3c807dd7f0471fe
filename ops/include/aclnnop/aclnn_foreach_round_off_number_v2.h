/* SPDX-License-Identifier: Apache-2.0 */
/* Each tensor of a list rounded to whole numbers. */
#pragma once

#include "aclnnop/aclnn_foreach_common.h" /* what holds for every function over lists */

ACLGRAD_BEGIN_DECLS

/*
 * out[i] = x[i], rounded by roundMode, an integer. 1: to the nearest whole number, halves to the
 * even one; 2: down; 3: up; 5: towards 0; 7: what is behind the point, x[i] - trunc x[i]. Another
 * number gives 161002. As aclnnRound, aclnnFloor, aclnnCeil, aclnnTrunc and aclnnFrac give it.
 * Data types: FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachRoundOffNumberV2GetWorkspaceSize(
    const aclTensorList* x, const aclScalar* roundMode, aclTensorList* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachRoundOffNumberV2(void* workspace,
                                                             uint64_t workspaceSize,
                                                             aclOpExecutor* executor,
                                                             aclrtStream stream);

ACLGRAD_END_DECLS
