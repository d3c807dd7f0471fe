/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversion of data types.
 *
 * Conversion rounds to nearest even between floating types (overflow gives an infinity); floating
 * to integer truncates toward 0, saturates, and turns NaN into 0; integer to integer wraps; to
 * BOOL, non-zero and NaN are true; complex to real keeps the real part.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = self converted to `dtype`. Any of INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32,
 * UINT64, FLOAT, FLOAT16, DOUBLE, BOOL, COMPLEX64, COMPLEX128 (and BF16 on Atlas A2, A3 and 950)
 * to any other. out has self's shape and the dtype `dtype`. Limits: rank at most 8. A dtype of out
 * other than `dtype` gives 561103. An empty self: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnCastGetWorkspaceSize(const aclTensor* self,
                                                          const aclDataType dtype, aclTensor* out,
                                                          uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnCast(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
