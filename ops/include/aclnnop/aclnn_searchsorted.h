/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where numbers belong in sequences that are in ascending order.
 *
 * No output may overlap an input unless its comment says otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = for each element v of self the place at which it belongs in a sequence. With right it is
 * the number of elements of the sequence that are not larger than v, without that of those that are
 * smaller; of NaN the number of all. A NaN in the sequence is larger than any number.
 * sortedSequence is one sequence, with one dimension, or has self's rank and its sizes but for the
 * last dimension: then row by row. sorter, which may be null: INT64 of sortedSequence's shape, the
 * places of its elements in order. Elements are compared in the dtype that both promote to. out has
 * self's shape, and is INT32 with outInt32, else INT64. Data types: FLOAT, FLOAT16, DOUBLE, INT8,
 * INT16, INT32, INT64, UINT8, and BF16 on Atlas A2, A3 and 950. An empty self: success, nothing is
 * written. Limits: sorter's numbers are places along the last dimension, else the task fails; ranks
 * at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSearchSortedGetWorkspaceSize(
    const aclTensor* sortedSequence, const aclTensor* self, bool outInt32, bool right,
    const aclTensor* sorter, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSearchSorted(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnSearchSorted of a scalar: sortedSequence has one dimension, out one element in any shape.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSearchSortedsGetWorkspaceSize(
    const aclTensor* sortedSequence, const aclScalar* self, bool outInt32, bool right,
    const aclTensor* sorter, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSearchSorteds(void* workspace, uint64_t workspaceSize,
                                                   aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
