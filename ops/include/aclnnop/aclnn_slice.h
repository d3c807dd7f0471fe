/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A range of a tensor along one dimension, with a step.
 *
 * No output may overlap an input.
 *
 * Data types: FLOAT, FLOAT16, INT64, INT8, INT32, UINT8, BOOL, and BF16 on Atlas A2, A3 and 950;
 * DOUBLE, which the vendor does not list. out has the dtype of self.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out holds the elements start, start + step, ... before end of dimension dim, of size N. Negative
 * start and end get N added; both are limited to [0, N], and end is at least start. The size along
 * dim is (end - start) / step, rounded up; step is greater than 0. self has 1 to 8 dimensions; dim
 * is in [-rank, rank - 1].
 *
 * Limits: ranks at most 8, at least 1. An empty result: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSliceGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                           int64_t start, int64_t end, int64_t step,
                                                           aclTensor* out, uint64_t* workspaceSize,
                                                           aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSlice(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
