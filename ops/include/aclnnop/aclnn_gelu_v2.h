/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GELU in both forms.
 *
 *   approximate = 1          y = x / (1 + e^(-2 u)),  u = sqrt(2/pi) * (x + 0.044715 x^3)
 *   any other approximate    y = x * Phi(x),  Phi the normal distribution function
 *
 * -infinity gives 0, +infinity and NaN stay.
 *
 * Formats are taken as ND, private ones refused.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * x   FLOAT, FLOAT16, BF16 (Ascend910B, Ascend910_93, Ascend950); rank up to 8; no private format
 * y   dtype and shape of x; may be x
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGeluV2GetWorkspaceSize(const aclTensor* x, int64_t approximate,
                                                            aclTensor* y, uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGeluV2(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, const aclrtStream stream);

ACLGRAD_END_DECLS
