/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each tensor of a list times one number.
 *
 * A size that breaks a rule below gives 561002. An output may be exactly its input, as where x and
 * out are one list. A list owns its tensors: aclDestroyTensorList destroys them.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out[i] = x[i] * scalar, of x[i]'s size. Data types: FLOAT, FLOAT16, INT32, and BF16 on Atlas A2,
 * A3 and 950, the same for all tensors; scalar FLOAT or DOUBLE for FLOAT and BF16, FLOAT16 or
 * DOUBLE for FLOAT16, INT32 or INT64 for INT32. scalar is converted to the tensors' dtype, for
 * BF16 to FLOAT; the product rounds once, INT32 wraps. Tensors without elements: nothing is
 * written. Limits: ranks at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachMulScalarV2GetWorkspaceSize(const aclTensorList* x,
                                                                        const aclScalar* scalar,
                                                                        aclTensorList* out,
                                                                        uint64_t* workspaceSize,
                                                                        aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachMulScalarV2(void* workspace, uint64_t workspaceSize,
                                                        aclOpExecutor* executor,
                                                        aclrtStream stream);

ACLGRAD_END_DECLS
