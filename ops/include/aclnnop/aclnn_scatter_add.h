/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds elements to those whose coordinate along one dimension they are given: the gradient of
 * aclnnGather.
 *
 * out may be self. Sums as in aclnn_index_add.h, in the row-major order of index.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, and BF16 on Atlas A2,
 * A3 and 950; src and out have the dtype of self. index: INT32, INT64.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = self, then for every position (i, j, ..) of index: out[i, index[i, j, ..], ..] += src[i, j,
 * ..], the index in the place of coordinate dim (here 1). A negative index counts from the end. An
 * index outside its range ends the task with an error, which the next synchronisation of the stream
 * returns, and a message that names the index; nothing is written then.
 *
 * self, index and src have one rank, at most 8 (none counts as 1); index is nowhere larger than
 * src, nor than self but along dim: the rest of src does not count. out has the size of self. dim
 * in [-rank, rank - 1]; a size of 0 along dim together with indices is refused. Without indices,
 * out is self.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnScatterAddGetWorkspaceSize(
    const aclTensor* self, int64_t dim, const aclTensor* index, const aclTensor* src,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnScatterAdd(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
