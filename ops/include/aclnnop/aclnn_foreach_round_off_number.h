/* SPDX-License-Identifier: Apache-2.0 */
/* Each tensor of a list rounded; the mode lies on the device. */
#pragma once

#include "aclnnop/aclnn_foreach_common.h" /* what holds for every function over lists */

ACLGRAD_BEGIN_DECLS

/*
 * out[i] = x[i], rounded by roundMode as by aclnnForeachRoundOffNumberV2. Data types: FLOAT,
 * FLOAT16, and BF16 on Atlas A2, A3 and 950. roundMode: one element of an integer dtype, which is
 * read when the task runs: one of no mode fails there.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachRoundOffNumberGetWorkspaceSize(
    const aclTensorList* x, const aclTensor* roundMode, aclTensorList* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachRoundOffNumber(void* workspace, uint64_t workspaceSize,
                                                           aclOpExecutor* executor,
                                                           aclrtStream stream);

ACLGRAD_END_DECLS
