/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the elements of a tensor are that are not 0, dimension by dimension.
 *
 * No output may overlap an input unless its comment says otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * aclnnNonzero with out turned: row d = the indices in dimension d. out has room for self's rank
 * times its number of elements (1 is accepted for none), and the task makes [self's rank, k] its
 * shape: the k numbers of each row lie right behind those of the row before, at the beginning of
 * out's view, which should be contiguous. As its size depends on the numbers,
 * aclSetAclOpExecutorRepeatable refuses the executor with 561000. Data types of self: FLOAT,
 * FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64, BOOL, COMPLEX64,
 * COMPLEX128, and BF16 on Atlas A2, A3 and 950; out is INT64. Limits: self's rank at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnNonzeroV2GetWorkspaceSize(const aclTensor* self,
                                                               aclTensor* out,
                                                               uint64_t* workspaceSize,
                                                               aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnNonzeroV2(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
