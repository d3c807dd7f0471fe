/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ELU: the exponential linear unit.
 *
 *   out = scale * x                                     x > 0
 *         alpha * scale * (e^(x * inputScale) - 1)      x <= 0
 *
 * The scalars are taken as float; alpha may be negative. NaN stays NaN; -infinity gives
 * -alpha * scale. Where alpha or inputScale is not finite, the lower branch is -alpha * scale
 * throughout.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        FLOAT, FLOAT16, DOUBLE, BF16; rank 0 to 8
 * alpha, scale, inputScale   host scalars of any type but complex
 * out         any type that self converts to, that is, floating or complex; shape of self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnEluGetWorkspaceSize(
    const aclTensor* self, const aclScalar* alpha, const aclScalar* scale,
    const aclScalar* inputScale, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnElu(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnElu with selfRef as both self and out.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceEluGetWorkspaceSize(
    aclTensor* selfRef, const aclScalar* alpha, const aclScalar* scale, const aclScalar* inputScale,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceElu(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
