/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes drawn with the probabilities of a row of weights.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out has numsamples numbers of classes for each row of self, which are weights: finite, none below
 * 0, with a sum above 0, which need not be 1. A class of weight 0 is never drawn. Without
 * replacement no class is drawn twice, and the order is that of drawing.
 *
 * u(i) in [0, 1) is what aclnnInplaceUniform gives element i of a DOUBLE tensor. With replacement,
 * draw s of row r is the class in whose part of the row's sum, from the front, u(r * numsamples +
 * s) times that sum falls. Without, a row's classes are drawn in the order of -ln(1 - u(i)) /
 * weight, i the element of self: each is then drawn with its share of the weights that are left.
 *
 * self: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3 and 950; [c] or [r, c] with c above 0.
 * out: INT64; [numsamples] or [r, numsamples]. Limits: numsamples at least 1 and, without
 * replacement, at most c. A row that has no such weights, or without replacement fewer above 0 than
 * are drawn, ends the task with an error, which the next synchronisation of the stream returns;
 * nothing is written then. An empty out: success.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMultinomialGetWorkspaceSize(
    const aclTensor* self, int64_t numsamples, bool replacement, int64_t seed, int64_t offset,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMultinomial(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
