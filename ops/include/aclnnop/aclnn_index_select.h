/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selects the elements of a dimension by their numbers.
 *
 * No output may overlap an input.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64,
 * BOOL, COMPLEX64, COMPLEX128, and BF16 on Atlas A2, A3 and 950; out has the dtype of self. index:
 * INT32, INT64.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out[.., k, ..] = self[.., index[k], ..], along dim. A negative index counts from the end. An
 * index outside its range ends the task with an error, which the next synchronisation of the stream
 * returns, and a message that names the index; nothing is written then. index has at most one
 * dimension. out has the shape of self, with the number of indices in the place of dim; a self
 * without dimensions has an out without any, for one index.
 *
 * Limits: private formats are refused; rank of self at most 8; dim in [-rank, rank - 1]. A size of
 * 0 along dim together with indices is refused; where self or index is empty, the shape of out is
 * not checked. An empty self or index: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnIndexSelectGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                                 const aclTensor* index,
                                                                 aclTensor* out,
                                                                 uint64_t* workspaceSize,
                                                                 aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnIndexSelect(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, const aclrtStream stream);

ACLGRAD_END_DECLS
