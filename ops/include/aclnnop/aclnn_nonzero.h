/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the elements of a tensor are that are not 0.
 *
 * No output may overlap an input unless its comment says otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Row i of out = the indices of the i-th element of self that is not 0, in row-major order; NaN is
 * not. out has room for all, self's number of elements (1 is accepted for none) times its rank. The
 * task fills the first k rows, leaves the others as they were, and makes [k, self's rank] the view
 * shape of the tensor object that phase one was given as out: run, synchronise the stream, then
 * aclGetViewShape. An object that was destroyed before has no shape to be told. As its size depends
 * on the numbers, aclSetAclOpExecutorRepeatable refuses the executor with 561000. Data types of
 * self: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64, BOOL,
 * COMPLEX64, COMPLEX128, and BF16 on Atlas A2, A3 and 950; out is INT64. Limits: self's rank at
 * most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnNonzeroGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnNonzero(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
