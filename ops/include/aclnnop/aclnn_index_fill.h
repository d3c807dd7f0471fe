/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fills slices with a value.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64,
 * BOOL, COMPLEX64, COMPLEX128, and BF16 on Atlas A2, A3 and 950; out has that of self. index:
 * INT32, INT64.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * selfRef[.., index[k], ..] = value along dim, for every k. value: any scalar, converted to the
 * dtype of selfRef; complex ones beside a complex selfRef only. A negative index counts from the
 * end. An index outside its range ends the task with an error, which the next synchronisation of
 * the stream returns, and a message that names the index; nothing is written then.
 *
 * Limits: rank of selfRef at most 8, of index at most 1; dim in [-rank, rank - 1]; a size of 0
 * along dim together with indices is refused. Without indices nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceIndexFillGetWorkspaceSize(
    aclTensor* selfRef, int64_t dim, const aclTensor* index, const aclScalar* value,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceIndexFill(void* workspace, uint64_t workspaceSize,
                                                      aclOpExecutor* executor, aclrtStream stream);

/*
 * out = self, but value where aclnnInplaceIndexFill writes it. out has self's shape.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnIndexFillGetWorkspaceSize(
    const aclTensor* self, int64_t dim, const aclTensor* index, const aclScalar* value,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnIndexFill(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
