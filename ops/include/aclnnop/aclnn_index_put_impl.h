/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts values where indices say, or adds them up there: the gradient of aclnnIndex.
 *
 * values may not overlap selfRef. The list owns its tensors: aclDestroyTensorList destroys them.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64,
 * BOOL, COMPLEX64, COMPLEX128, and BF16 on Atlas A2, A3 and 950; values of another dtype than
 * selfRef are converted to its first: no complex ones to real, no floating ones to integers, and to
 * BOOL none. Members of indices: INT32, INT64, BOOL, UINT8.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * selfRef[indices] = values, or += values with accumulate. indices has at most one tensor for each
 * dimension of self: one of INT32 or INT64 has numbers of that dimension, where a negative one
 * counts from the end. Null, a tensor of size [0] of any dtype, and dimensions beyond the list
 * stand for all of the dimension. A mask, of BOOL or UINT8 (true: not 0), has the size of self from
 * its dimension on, takes as many of the dimensions as it has itself, and stands for the numbers of
 * its true elements in row-major order. Tensors of numbers broadcast together; a mask counts as one
 * of a single dimension. values broadcasts to the size that aclnnIndex (aclnn_index.h) has for
 * these indices; where it has a single element along those of a mask, there may be any number of
 * true ones, else as many as it has. An index outside its range ends the task with an error, which
 * the next synchronisation of the stream returns, and a message that names the index; nothing is
 * written then.
 *
 * Of values for one element the last one stays; with accumulate all are added in row-major order,
 * computed in double, or in integers that wrap, and rounded once: the same bits with any number of
 * threads. In BOOL a sum is true where a term is. unsafe is ignored: indices are always checked.
 * Ranks at most 8. An empty selfRef or values: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnIndexPutImplGetWorkspaceSize(
    aclTensor* selfRef, const aclTensorList* indices, const aclTensor* values, bool accumulate,
    bool unsafe, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnIndexPutImpl(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
