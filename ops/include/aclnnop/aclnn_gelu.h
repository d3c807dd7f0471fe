/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GELU in its tanh form.
 *
 *   out = x / (1 + e^(-2 u)),  u = sqrt(2/pi) * (x + 0.044715 x^3)
 *
 * -infinity gives 0, +infinity and NaN stay. aclnnGeluV2 has the exact form too.
 *
 * Formats are taken as ND, private ones refused.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self   FLOAT, FLOAT16, BF16 (Ascend910B, Ascend910_93, Ascend950); rank up to 8;
 *        no private format
 * out    dtype and shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGeluGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                          uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGelu(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, const aclrtStream stream);

ACLGRAD_END_DECLS
