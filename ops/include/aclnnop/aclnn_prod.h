/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of all elements, and along a dimension. Real numbers are multiplied in DOUBLE, eight
 * products side by side, and rounded once: a product in DOUBLE may overflow on the way where
 * another order would not. Integers wrap.
 *
 * No output may overlap an input unless its comment says otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = the product of all elements of self, each converted to dtype first; 1 where there is none.
 * out has one element and the dtype dtype. Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32,
 * INT64, UINT8, BOOL, COMPLEX64, COMPLEX128, and BF16 on Atlas A2, A3 and 950. Limits: ranks at
 * most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnProdGetWorkspaceSize(const aclTensor* self, aclDataType dtype,
                                                          aclTensor* out, uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnProd(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnProd along dimension dim, in [-n, n-1] (n = self's rank, 1 for 0-d), which vanishes, or
 * stays with size 1 when keepDim is set.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnProdDimGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                             bool keepDim, aclDataType dtype,
                                                             aclTensor* out,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnProdDim(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
