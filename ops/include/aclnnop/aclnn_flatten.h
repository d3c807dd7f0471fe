/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tensor as a matrix, as a copy, bit for bit.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64,
 * BOOL, COMPLEX64, COMPLEX128, and BF16 on Atlas A2, A3 and 950; out has the dtype
 * of self.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = self as a matrix: the dimensions before axis as rows, those from axis on as columns. Always
 * of rank 2: axis 0 gives one row, axis = rank one column.
 *
 * Limits: rank of self at most 8 (none: one element, axis 0); axis in [-rank, rank].
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnFlattenGetWorkspaceSize(const aclTensor* self, int64_t axis,
                                                             aclTensor* out,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFlatten(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
