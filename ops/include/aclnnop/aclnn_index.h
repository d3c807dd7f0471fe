/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements by the numbers of their coordinates, or by masks: PyTorch's x[i, :, j].
 *
 * Every value keeps its bits. No output may overlap an input. The list owns its tensors:
 * aclDestroyTensorList destroys them.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64,
 * BOOL, COMPLEX64, COMPLEX128, and BF16 on Atlas A2, A3 and 950; out has the dtype of self. Members
 * of indices: INT32, INT64, BOOL, UINT8.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * indices has at most one tensor for each dimension of self: one of INT32 or INT64 has numbers of
 * that dimension, where a negative one counts from the end. Null, a tensor of size [0] of any
 * dtype, and dimensions beyond the list stand for all of the dimension. A mask, of BOOL or UINT8
 * (true: not 0), has the size of self from its dimension on, takes as many of the dimensions as it
 * has itself, and stands for the numbers of its true elements in row-major order. Tensors of
 * numbers broadcast together; a mask counts as one of a single dimension.
 *
 * out has the size of self with the indexed dimensions left out and those of the indices put in.
 * Where the indexed dimensions are neighbours, those that the indices broadcast to stand in their
 * place; where they are not, in front. The number of true elements of a mask is found by the task,
 * which fails where out has another size there. An index outside its range ends the task with an
 * error, which the next synchronisation of the stream returns, and a message that names the index;
 * nothing is written then. Ranks at most 8. A self without elements has none to be indexed: out
 * must have none.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnIndexGetWorkspaceSize(const aclTensor* self,
                                                           const aclTensorList* indices,
                                                           aclTensor* out, uint64_t* workspaceSize,
                                                           aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnIndex(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
