/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The conjunction of the bits of two integers in two's complement, and of two truth values.
 *
 *   out = self & other
 *
 * The bits are those of the dtype that both promote to: INT16 for UINT8 with INT8. Floating and
 * complex dtypes are refused. Empty tensors: success, nothing is written.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self, other INT8, INT16, INT32, INT64, UINT8, BOOL; rank 0 to 8, which broadcast against each
 *             other
 * out         one of these, to which the promoted dtype converts; the shape that self and other
 *             broadcast to; may be one of them
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnBitwiseAndTensorGetWorkspaceSize(const aclTensor* self,
                                                                      const aclTensor* other,
                                                                      aclTensor* out,
                                                                      uint64_t* workspaceSize,
                                                                      aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnBitwiseAndTensor(void* workspace, uint64_t workspaceSize,
                                                      aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnBitwiseAndTensor with selfRef as both input and output, to whose shape other broadcasts.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceBitwiseAndTensorGetWorkspaceSize(
    aclTensor* selfRef, const aclTensor* other, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceBitwiseAndTensor(void* workspace,
                                                             uint64_t workspaceSize,
                                                             aclOpExecutor* executor,
                                                             aclrtStream stream);

ACLGRAD_END_DECLS
