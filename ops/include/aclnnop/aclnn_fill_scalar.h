/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One value for all elements.
 *
 * Conversion rounds to nearest even between floating types (overflow gives an infinity); floating
 * to integer truncates toward 0, saturates, and turns NaN into 0; integer to integer wraps; to
 * BOOL, non-zero and NaN are true; complex to real keeps the real part.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * selfRef = value, converted to selfRef's dtype. Data types: FLOAT, INT32, INT64, FLOAT16, INT16,
 * INT8, UINT8, DOUBLE, BOOL, COMPLEX64, COMPLEX128, and BF16, UINT16, UINT32, UINT64 on Atlas A2,
 * A3 and 950. Limits: rank at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceFillScalarGetWorkspaceSize(aclTensor* selfRef,
                                                                       const aclScalar* value,
                                                                       uint64_t* workspaceSize,
                                                                       aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceFillScalar(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
