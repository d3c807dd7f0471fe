/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last dimension of a tensor, extended by its elements reflected at the first and the last
 * one, which are not repeated.
 *
 * Every value keeps its bits. No output may overlap an input.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64,
 * COMPLEX128, and BF16 on Atlas A2, A3 and 950; out has the dtype of self.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Element j of an axis of n elements, with b before it, is number |j - b| of self, and number 2
 * (n - 1) - (j - b) where j - b is above n - 1. padding: two numbers, left and right, for the
 * last dimension first; each below the size of its dimension, negative ones cut, and every
 * spatial size of out must be at least 1.
 *
 * self is [C, W] or [N, C, W], of which only N may be 0, in the format ND, NCL, NCHW or NCDHW;
 * out has its size, but for what padding adds.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnReflectionPad1dGetWorkspaceSize(const aclTensor* self,
                                                                     const aclIntArray* padding,
                                                                     aclTensor* out,
                                                                     uint64_t* workspaceSize,
                                                                     aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnReflectionPad1d(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
