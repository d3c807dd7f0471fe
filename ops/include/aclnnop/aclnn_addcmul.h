/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tensor plus a scaled product of two others.
 *
 *   out = self + value * tensor1 * tensor2
 *
 * It is computed in the dtype P that the three tensors promote to, where integers wrap. value
 * is converted to P, and counts as FLOAT beside FLOAT16 and BF16.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self, tensor1, tensor2
 *             FLOAT, FLOAT16, DOUBLE, INT8, INT32, INT64, UINT8; BF16 (Ascend910B, Ascend910_93,
 *             Ascend950); P must be one of these; rank 0 to 8
 * value       of any real dtype
 * out         what P converts to; the shape that the three broadcast to; may be one of them
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnAddcmulGetWorkspaceSize(
    const aclTensor* self, const aclTensor* tensor1, const aclTensor* tensor2,
    const aclScalar* value, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAddcmul(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnAddcmul with selfRef as both input and output, to whose shape the others broadcast.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceAddcmulGetWorkspaceSize(
    const aclTensor* selfRef, const aclTensor* tensor1, const aclTensor* tensor2,
    const aclScalar* value, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceAddcmul(void* workspace, uint64_t workspaceSize,
                                                    aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
