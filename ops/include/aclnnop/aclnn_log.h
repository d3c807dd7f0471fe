/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The natural logarithm.
 *
 *   out = log(self)
 *
 * 0 gives -infinity, a number below 0 NaN; +infinity and NaN stay.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        FLOAT, FLOAT16, DOUBLE, COMPLEX64, COMPLEX128, INT8, INT16, INT32, INT64, UINT8,
 *             BOOL; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * out         FLOAT, FLOAT16, DOUBLE, COMPLEX64, COMPLEX128; BF16 (Ascend910B, Ascend910_93,
 *             Ascend950); self converts to it; integers and BOOL are computed in FLOAT
 *             shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLogGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                         uint64_t* workspaceSize,
                                                         aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLog(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnLog with selfRef as both input and output.
 *
 * selfRef     FLOAT, FLOAT16, DOUBLE, COMPLEX64, COMPLEX128; BF16 (Ascend910B, Ascend910_93,
 *             Ascend950); rank 0 to 8
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceLogGetWorkspaceSize(aclTensor* selfRef,
                                                                uint64_t* workspaceSize,
                                                                aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceLog(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
