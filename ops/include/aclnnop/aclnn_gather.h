/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selects one element of a dimension for each position.
 *
 * No output may overlap an input.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64,
 * BOOL, and BF16 on Atlas A2, A3 and 950; out has the dtype of self. index, unless it is empty:
 * INT32, INT64.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out[i, j, ..] is the element of self at the same place, but for coordinate dim, which is index[i,
 * j, ..]. A negative index counts from the end. An index outside its range ends the task with an
 * error, which the next synchronisation of the stream returns, and a message that names the index;
 * nothing is written then. index has the rank of self (a tensor without dimensions counts as one of
 * size 1) and is nowhere larger but along dim; out has the shape of index.
 *
 * Limits: ranks at most 8; dim in [-rank, rank - 1]. An empty index: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGatherGetWorkspaceSize(const aclTensor* self,
                                                            const int64_t dim,
                                                            const aclTensor* index, aclTensor* out,
                                                            uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGather(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, const aclrtStream stream);

ACLGRAD_END_DECLS
