/* SPDX-License-Identifier: Apache-2.0 */
/* Softsign: out = x / (1 + |x|). Infinities and NaN give NaN, as the formula does. */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        FLOAT, FLOAT16; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * out         dtype and shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSoftsignGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                              uint64_t* workspaceSize,
                                                              aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSoftsign(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
