/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sum of the tensors of a list, element by element.
 *
 * No output may overlap an input unless its comment says otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = tensors[0] + tensors[1] + ...: no reduction of a tensor, for which there is aclnnReduceSum.
 * All have out's shape and dtype, and there is at least one. Added in their order, real numbers in
 * DOUBLE, and rounded once; integers wrap. out may be one of them. Data types: FLOAT, FLOAT16,
 * DOUBLE, INT8, INT16, INT32, INT64, UINT8, and BF16 on Atlas A2, A3 and 950. Limits: ranks at most
 * 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSumGetWorkspaceSize(const aclTensorList* tensors,
                                                         aclTensor* out, uint64_t* workspaceSize,
                                                         aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSum(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
