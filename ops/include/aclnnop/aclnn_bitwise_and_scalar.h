/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The conjunction of the bits of two integers in two's complement, and of two truth values.
 *
 *   out = self & other
 *
 * The scalar is converted to self's dtype; beside BOOL the scalar's dtype counts. Floating and
 * complex dtypes are refused. Empty tensors: success, nothing is written.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        INT8, INT16, INT32, INT64, UINT8, BOOL; rank 0 to 8
 * other       a scalar of one of these dtypes
 * out         one of these, to which the dtype of the computation converts; shape of self; may
 *             be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnBitwiseAndScalarGetWorkspaceSize(const aclTensor* self,
                                                                      const aclScalar* other,
                                                                      aclTensor* out,
                                                                      uint64_t* workspaceSize,
                                                                      aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnBitwiseAndScalar(void* workspace, uint64_t workspaceSize,
                                                      aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnBitwiseAndScalar with selfRef as both input and output.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceBitwiseAndScalarGetWorkspaceSize(
    aclTensor* selfRef, const aclScalar* other, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceBitwiseAndScalar(void* workspace,
                                                             uint64_t workspaceSize,
                                                             aclOpExecutor* executor,
                                                             aclrtStream stream);

ACLGRAD_END_DECLS
