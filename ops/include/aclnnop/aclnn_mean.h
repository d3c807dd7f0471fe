/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mean over dimensions.
 *
 * Data types: FLOAT, FLOAT16, INT8, INT16, INT32, INT64, UINT8, DOUBLE, COMPLEX64, COMPLEX128, and
 * BF16 on Atlas A2, A3 and 950. Sums are taken in DOUBLE (integers: 64 bits, wrapping at the end)
 * in a fixed order that depends on the shape only, and rounded once.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self is converted to `dtype`, summed over the dimensions `dim` and divided by their extent; the
 * result in `dtype` (an integer mean truncates toward 0) is converted to out's dtype. An empty dim
 * means all dimensions. Shapes as for aclnnReduceSum. An empty self fills out with NaN (0 in an
 * integer out). Limits: self convertible to dtype; ranks of self and out at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMeanGetWorkspaceSize(const aclTensor* self,
                                                          const aclIntArray* dim, bool keepDim,
                                                          aclDataType dtype, aclTensor* out,
                                                          uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMean(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

/*
 * As aclnnMean with self's dtype for `dtype`. noopWithEmptyAxes says what an empty dim means: true
 * nothing is reduced, and out (of self's shape) is self converted; false all dimensions. Limits:
 * self convertible to out; ranks of self and out at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMeanV2GetWorkspaceSize(const aclTensor* self,
                                                            const aclIntArray* dim, bool keepDim,
                                                            bool noopWithEmptyAxes, aclTensor* out,
                                                            uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMeanV2(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
