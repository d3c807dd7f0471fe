/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether elements are equal but for a tolerance.
 *
 *   out = 1 where |self - other| <= atol + rtol * |other|, 0 elsewhere
 *
 * Equal elements are close, infinities too; otherwise an infinity is close to nothing. NaN is
 * close to NaN where equalNan is true. Both count in the dtype that they promote to; the
 * difference is worked out in DOUBLE, that of integers exactly. Empty tensors: success, nothing
 * is written.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self, other FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL; BF16 (Ascend910B,
 *             Ascend910_93, Ascend950); rank 0 to 8, which broadcast against each other
 * rtol, atol  the relative and the absolute tolerance
 * equalNan    whether NaN is close to NaN
 * out         BOOL or another of these dtypes; the shape that self and other broadcast to; may
 *             be one of them
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnIsCloseGetWorkspaceSize(
    const aclTensor* self, const aclTensor* other, double rtol, double atol, bool equalNan,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnIsClose(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
