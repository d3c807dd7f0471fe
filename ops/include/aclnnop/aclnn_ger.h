/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outer product of two vectors.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out[n,m] = self[n] * vec2[m] with self [N], vec2 [M], out [N,M]. Data types: FLOAT, FLOAT16,
 * DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, and BF16 on Atlas A2, A3 and 950. The two may
 * differ: the product is that of their common dtype, which must be convertible to that of out. Real
 * numbers are rounded once; integers wrap. An empty out: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGerGetWorkspaceSize(const aclTensor* self,
                                                         const aclTensor* vec2, aclTensor* out,
                                                         uint64_t* workspaceSize,
                                                         aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGer(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
