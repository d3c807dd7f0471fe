/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SiLU, also called Swish: x times its sigmoid.
 *
 *   out = x / (1 + e^-x)
 *
 * +infinity and NaN stay; -infinity gives NaN, as the formula does.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self, out   FLOAT, FLOAT16, BF16 (Ascend910B, Ascend910_93, Ascend950);
 *             each from the list, they may differ
 * out         shape of self, any rank; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSiluGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                          uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSilu(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
