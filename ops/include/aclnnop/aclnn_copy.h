/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copy between tensors, with conversion and broadcasting; the way to make a strided view
 * contiguous.
 *
 * Conversion rounds to nearest even between floating types (overflow gives an infinity); floating
 * to integer truncates toward 0, saturates, and turns NaN into 0; integer to integer wraps; to
 * BOOL, non-zero and NaN are true; complex to real keeps the real part.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * selfRef = src, broadcast to selfRef's shape and converted to its dtype. Data types: INT8, INT16,
 * INT32, INT64, UINT8, UINT16, UINT32, UINT64, FLOAT, FLOAT16, BF16, DOUBLE, BOOL, COMPLEX64,
 * COMPLEX128. Limits: ranks at most 8. An empty selfRef: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceCopyGetWorkspaceSize(aclTensor* selfRef,
                                                                 const aclTensor* src,
                                                                 uint64_t* workspaceSize,
                                                                 aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceCopy(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, const aclrtStream stream);

ACLGRAD_END_DECLS
