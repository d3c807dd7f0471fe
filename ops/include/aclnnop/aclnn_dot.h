/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Product of two vectors.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = the sum of self[i] * tensor[i] of two vectors of one length; out has one element, whatever
 * its rank is. Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, and BF16 on
 * Atlas A2, A3 and 950; of all tensors the same. Real numbers are multiplied and added in DOUBLE,
 * in an order that the length alone decides, and rounded once; integers wrap. Vectors without
 * elements give 0. Limits: self and tensor of rank 1.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnDotGetWorkspaceSize(const aclTensor* self,
                                                         const aclTensor* tensor, aclTensor* out,
                                                         uint64_t* workspaceSize,
                                                         aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnDot(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
