/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rotary position embedding: pairs of columns are points, turned by the angles of their places.
 *
 *   yOut = x * cos + rot(x) * sin
 *
 * yOut may be x.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * rot(x) of a row with halves a, b is (-b, a) for mode 0; for mode 1 it is (-x1, x0, -x3, x2, ...).
 * Other modes are refused. x has rank 3 or 4 and an even last size; cos and sin have its rank, one
 * shape, each size x's or 1, and the last x's: the places of x are whatever dimension they are
 * given for. Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3 and 950, the same for
 * all. The computation runs in DOUBLE and rounds once. An empty x: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnRotaryPositionEmbeddingGetWorkspaceSize(
    const aclTensor* x, const aclTensor* cos, const aclTensor* sin, int64_t mode, aclTensor* yOut,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnRotaryPositionEmbedding(void* workspace,
                                                             uint64_t workspaceSize,
                                                             aclOpExecutor* executor,
                                                             aclrtStream stream);

ACLGRAD_END_DECLS
