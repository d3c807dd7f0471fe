/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The error function.
 *
 *   out = 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to self
 *
 * Infinities give -1 and 1; zeros and NaN stay.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        FLOAT, FLOAT16, DOUBLE, INT64, BOOL; BF16 (Ascend910B, Ascend910_93, Ascend950);
 *             rank 0 to 8
 * out         what the type of the computation converts to: that of self, FLOAT for INT64 and
 *             BOOL
 *             shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnErfGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                         uint64_t* workspaceSize,
                                                         aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnErf(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnErf with selfRef as both input and output.
 *
 * selfRef     FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceErfGetWorkspaceSize(aclTensor* selfRef,
                                                                uint64_t* workspaceSize,
                                                                aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceErf(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
