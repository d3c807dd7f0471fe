/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selects the elements of a dimension by a tensor of numbers.
 *
 * No output may overlap an input.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64,
 * COMPLEX128, and BF16 on Atlas A2, A3 and 950; UINT16 on 950. out has the dtype of self. index:
 * INT32, INT64.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * aclnnIndexSelect for an index of any rank: out has the shape of index in the place of dim, as
 * self[:dim] + index + self[dim + 1:]. An index without dimensions counts as one of size 1; a self
 * without dimensions has an out without any. A negative index counts from the end. An index outside
 * its range ends the task with an error, which the next synchronisation of the stream returns, and
 * a message that names the index; nothing is written then.
 *
 * Limits: ranks at most 8; dim in [-rank, rank - 1]. A size of 0 along dim together with indices
 * is refused; where self or index is empty, the shape of out is not checked. An empty self or
 * index: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGatherV2GetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                              const aclTensor* index,
                                                              aclTensor* out,
                                                              uint64_t* workspaceSize,
                                                              aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGatherV2(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
