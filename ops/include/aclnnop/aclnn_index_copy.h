/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies slices to those of their numbers, bit for bit.
 *
 * out may be self; source may not overlap what is written. Of equal numbers the last one stays.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64,
 * BOOL, COMPLEX64, COMPLEX128, and BF16 on Atlas A2, A3 and 950; source and out
 * have the dtype of self. index: INT32, INT64.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = self, then out[.., index[k], ..] = source[.., k, ..] along dim, for every k. A negative
 * index counts from the end. An index outside its range ends the task with an error, which the next
 * synchronisation of the stream returns, and a message that names the index; nothing is written
 * then.
 *
 * source has the size of self, with the number of indices along dim; out has that of self. Limits:
 * rank of self at most 8, of index at most 1; dim in [-rank, rank - 1]; a size of 0 along dim
 * together with indices is refused. Without indices, out is self.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnIndexCopyGetWorkspaceSize(
    const aclTensor* self, int64_t dim, const aclTensor* index, const aclTensor* source,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnIndexCopy(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream);

/* The same in place. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceIndexCopyGetWorkspaceSize(
    aclTensor* selfRef, int64_t dim, const aclTensor* index, const aclTensor* source,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceIndexCopy(void* workspace, uint64_t workspaceSize,
                                                      aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
