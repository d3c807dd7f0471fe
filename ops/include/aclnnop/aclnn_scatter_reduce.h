/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements reduced into the places of their coordinates.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * For every position of index: the element of src there goes to selfRef where that position is,
 * with the number in the place of dimension dim. Terms of one place are joined in the order of
 * their positions. reduction: 0 the last one stays, 1 sum, 2 product, 3 maximum, 4 minimum, 5 mean.
 * With includeSelf, what was there is the first of the terms, and one of the mean; without, it
 * gives way to them. Places without terms stay as they are. A NaN wins over every maximum and
 * minimum. Computed in DOUBLE, or INT64 for integers and BOOL, and rounded once; a mean of integers
 * is rounded down. includeSelf has no meaning for reduction 0.
 *
 * A negative number counts from the end. One outside its range ends the task with an error, which
 * the next synchronisation of the stream returns, and nothing is written then.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, but for a mean, and
 * BF16 on Atlas A2, A3 and 950; for reduction 0 UINT16, UINT32, UINT64, COMPLEX64, COMPLEX128, too;
 * src has that of selfRef. index: INT32, INT64. Limits: ranks alike and at most 8; index is no
 * larger than src, nor than selfRef but along dim; dim in [-rank, rank - 1].
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceScatterReduceGetWorkspaceSize(
    aclTensor* selfRef, int64_t dim, const aclTensor* index, const aclTensor* src,
    int64_t reduction, bool includeSelf, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceScatterReduce(void* workspace, uint64_t workspaceSize,
                                                          aclOpExecutor* executor,
                                                          aclrtStream stream);

ACLGRAD_END_DECLS
