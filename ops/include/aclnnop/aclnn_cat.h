/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins tensors along a dimension that they have.
 *
 * No output may overlap an input. The list owns its tensors: aclDestroyTensorList destroys them.
 *
 * Data types: FLOAT, INT32, INT64, FLOAT16, INT16, INT8, UINT8, DOUBLE, COMPLEX64, BOOL, and BF16
 * on Atlas A2, A3 and 950; UINT16, UINT32 and UINT64 on 950.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out holds the tensors one behind the other along dim, in P, the type that all promote to; P must
 * be convertible to out's dtype. Tensors of shape [0] are passed over before every check; when no
 * other is left, the call succeeds, workspaceSize is 0 and nothing is written. All others have one
 * rank, from 1 to 8, and the same sizes but along dim, a number in [-rank, rank - 1]. A tensor may
 * stand in the list more than once.
 *
 * Limits: storage formats equal; ranks at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnCatGetWorkspaceSize(const aclTensorList* tensors, int64_t dim,
                                                         aclTensor* out, uint64_t* workspaceSize,
                                                         aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnCat(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, const aclrtStream stream);

ACLGRAD_END_DECLS
