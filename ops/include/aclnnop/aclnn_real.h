/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The real part.
 *
 *   out = the real part of self
 *
 * Real numbers are copied.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        COMPLEX64, COMPLEX128, FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93,
 *             Ascend950); rank 0 to 8
 * out         FLOAT of COMPLEX64, DOUBLE of COMPLEX128, otherwise self's dtype; shape of self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnRealGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                          uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnReal(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
