/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The value of a tensor for all elements.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * selfRef = the one element of value, which is read when the work runs, converted to selfRef's
 * dtype as by aclnnCast. Data types, which may differ: FLOAT, INT32, INT64, FLOAT16, INT16, INT8,
 * UINT8, DOUBLE, BOOL, COMPLEX64, COMPLEX128, and BF16, UINT16, UINT32, UINT64 on Atlas A2, A3 and
 * 950. Limits: ranks at most 8; value has one element. An empty selfRef: success.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceFillTensorGetWorkspaceSize(aclTensor* selfRef,
                                                                       const aclTensor* value,
                                                                       uint64_t* workspaceSize,
                                                                       aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceFillTensor(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
