/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins tensors along a new dimension.
 *
 * No output may overlap an input. The list owns its tensors: aclDestroyTensorList destroys them.
 *
 * Data types: FLOAT, INT32, INT64, FLOAT16, INT16, INT8, UINT8, DOUBLE, COMPLEX64, COMPLEX128,
 * BOOL, UINT16, UINT32, UINT64, and BF16 on Atlas A2, A3 and 950.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out holds the tensors, all of one shape, one behind the other along a dimension that is inserted
 * before dimension dim, a number in [-(rank + 1), rank]; in P, the type that all promote to, which
 * must be convertible to out's dtype. out has at most 8 dimensions. A null list or out gives
 * 561103, a null tensor in the list 161001; an empty list 161002. When the tensors are empty, the
 * call succeeds and nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnStackGetWorkspaceSize(const aclTensorList* tensors,
                                                           int64_t dim, aclTensor* out,
                                                           uint64_t* workspaceSize,
                                                           aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnStack(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, const aclrtStream stream);

ACLGRAD_END_DECLS
