/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The elements of a tensor where a mask is true, bit for bit.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64,
 * BOOL, COMPLEX64, COMPLEX128, and BF16 on Atlas A2, A3 and 950; out has the dtype
 * of self. mask: BOOL, UINT8 (true: not 0).
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = the elements of self where mask is true, in row-major order, self and mask broadcast
 * together. out has one dimension, with room for all of them: as many elements as self and mask
 * broadcast to. The task writes the first ones, leaves the others as they were, and makes their
 * number the view shape of the tensor object that phase one was given as out: run, synchronise the
 * stream, then aclGetViewShape. An object that was destroyed before has no shape to be told. As its
 * size depends on the numbers, aclSetAclOpExecutorRepeatable refuses the executor with 561000.
 *
 * Ranks at most 8. An out without elements: success, nothing is done, its shape is [0] as before.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMaskedSelectGetWorkspaceSize(const aclTensor* self,
                                                                  const aclTensor* mask,
                                                                  aclTensor* out,
                                                                  uint64_t* workspaceSize,
                                                                  aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMaskedSelect(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
