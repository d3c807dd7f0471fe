/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of products after Einstein.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = the product of two tensors whose dimensions equation names by letters, summed over those
 * that out lacks: "ij,jk->ik" is a product of matrices. The arrow must be there; spaces do not
 * count; upper and lower case differ. A letter stands once in each operand at most, and has one
 * size in all; out has no letter that neither operand has. Data types: FLOAT, FLOAT16, DOUBLE,
 * INT8, INT16, INT32, INT64, UINT8, and BF16 on Atlas A2, A3 and 950; of all tensors the same.
 * 16-bit products accumulate in FLOAT and are rounded once; integers wrap. A sum over a dimension
 * of size 0 is 0; an empty out: success, nothing is written. Limits: two tensors (161002 for
 * others, for an ellipsis and for a letter that stands twice); ranks at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnEinsumGetWorkspaceSize(const aclTensorList* tensors,
                                                            const char* equation, aclTensor* out,
                                                            uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnEinsum(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
