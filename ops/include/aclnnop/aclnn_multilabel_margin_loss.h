/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Margins between the classes that a row has and those that it has not.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3 and 950; self, out and isTarget have
 * one. target: INT64, INT32. The computation runs in DOUBLE with sums in a fixed order, and rounds
 * once. reduction: 0 none, 1 mean, 2 sum.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self is [N, C], or [C] for one row. target has its size: the classes of a row, ended by a -1
 * where there are fewer than C. Of a row with classes J: l = sum over j in J and over i not in J of
 * max(0, 1 - self[j] + self[i]), divided by C; a class named twice counts twice. out is l, [N] for
 * reduction 0 and a 2-D self, else one element of rank 0 or 1: the mean over N (1), or the sum (2).
 * isTarget, of the size of self: 1 at the classes of J, else 0. Numbers behind the -1 are not
 * looked at. One before it that is not a class in [0, C) ends the task with an error, which the
 * next synchronisation of the stream returns, and a message that names it; nothing is written then.
 * An empty self: the mean of no rows is NaN, their sum 0, and a row without classes has the loss 0.
 * There is no C function for its gradient. Limits: self of rank 1 or 2.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMultilabelMarginLossGetWorkspaceSize(
    const aclTensor* self, const aclTensor* target, int64_t reduction, aclTensor* out,
    aclTensor* isTarget, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMultilabelMarginLoss(void* workspace, uint64_t workspaceSize,
                                                          aclOpExecutor* executor,
                                                          aclrtStream stream);

ACLGRAD_END_DECLS
