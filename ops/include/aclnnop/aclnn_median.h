/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Medians of all elements, and along a dimension.
 *
 * No output may overlap an input unless its comment says otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = the element of self that stands in the middle of all in order, NaN where there is one. Of
 * an even number it is the lower one of the two in the middle. Data types: FLOAT, FLOAT16, DOUBLE,
 * INT8, INT16, INT32, INT64, UINT8, and BF16 on Atlas A2, A3 and 950; out has self's, and one
 * element in any shape. Of an empty self of a floating dtype NaN; of integers self must have an
 * element. Limits: ranks at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMedianGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                            uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMedian(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream);

/*
 * values = the element in the middle of those along dim in order, indices = the place of the first
 * that is equal to it; the first NaN where there is one. Of an even number it is the lower one of
 * the two in the middle. The dimension dim, in [-n, n-1] (n = self's rank, 1 for 0-d), vanishes, or
 * stays with size 1 when keepdim is set. It must not have size 0. Data types: FLOAT, FLOAT16,
 * DOUBLE, INT8, INT16, INT32, INT64, UINT8, and BF16 on Atlas A2, A3 and 950; values has self's,
 * indices is INT64 or INT32. Another empty self: success, nothing is written. Limits: ranks at most
 * 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMedianDimGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                               bool keepdim, aclTensor* values,
                                                               aclTensor* indices,
                                                               uint64_t* workspaceSize,
                                                               aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMedianDim(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnMedian of the elements that are no NaN; NaN where there is none.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnNanMedianGetWorkspaceSize(const aclTensor* self,
                                                               aclTensor* out,
                                                               uint64_t* workspaceSize,
                                                               aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnNanMedian(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnMedianDim of the elements that are no NaN; the first NaN where there is none.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnNanMedianDimGetWorkspaceSize(
    const aclTensor* self, int64_t dim, bool keepdim, aclTensor* values, aclTensor* indices,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnNanMedianDim(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
