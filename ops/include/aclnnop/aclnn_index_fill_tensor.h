/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fills slices with a value, of which an array on the host has the numbers.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64,
 * BOOL, COMPLEX64, COMPLEX128, and BF16 on Atlas A2, A3 and 950; out has that of self.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * selfRef[.., index[k], ..] = value along dim, for every k. value: any scalar, converted to the
 * dtype of selfRef; complex ones beside a complex selfRef only. A negative index counts from the
 * end.
 *
 * Limits: rank at most 8; dim in [-rank, rank - 1]; indices in [-size, size - 1] along it. Without
 * indices nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceIndexFillTensorGetWorkspaceSize(
    aclTensor* selfRef, int64_t dim, const aclIntArray* index, const aclScalar* value,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceIndexFillTensor(void* workspace, uint64_t workspaceSize,
                                                            aclOpExecutor* executor,
                                                            aclrtStream stream);

/*
 * out = self, but value where aclnnInplaceIndexFillTensor writes it. out has self's shape.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnIndexFillTensorGetWorkspaceSize(
    const aclTensor* self, int64_t dim, const aclIntArray* index, const aclScalar* value,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnIndexFillTensor(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
