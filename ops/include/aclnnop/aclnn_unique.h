/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The different elements of a tensor.
 *
 * No output may overlap an input unless its comment says otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * y = the elements of self, each once, in ascending order, NaN last; without sorted the order is
 * free, and the same here. Each NaN is an element of its own, and -0 and +0 are equal: the first is
 * taken. With returnInverse, yInverse, of self's shape, has the place in y of each element;
 * without, it is not looked at. y has room for all elements, self's number of them in one
 * dimension; the task fills the first ones, leaves the others as they were, and gives the object of
 * y its true shape, that many elements, as aclnnMaskedSelect does: run, synchronise the stream,
 * then aclGetViewShape. aclSetAclOpExecutorRepeatable refuses the executor with 561000. Data types:
 * FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, and BF16 on Atlas A2, A3 and 950;
 * y has self's, yInverse is INT64. Limits: ranks at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnUniqueGetWorkspaceSize(const aclTensor* self, bool sorted,
                                                            bool returnInverse, aclTensor* y,
                                                            aclTensor* yInverse,
                                                            uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnUnique(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
