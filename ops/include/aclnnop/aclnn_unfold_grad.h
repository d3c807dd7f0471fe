/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gradient of slices along a dimension, size elements long, each step after the one before.
 *
 * No output may overlap an input. Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3
 * and 950, the same for both tensors.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * gradIn[.., k, ..] is the sum of gradOut[.., l, .., j] over l step + j = k, taken in DOUBLE in
 * that order and rounded once. inputSizes is the shape of gradIn, of rank 1 to 7. gradOut has
 * that shape with (in - size) / step + 1, rounded down, in dimension dim, and size behind all.
 * dim counts from the end where negative; size is within [1, in], step at least 1.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnUnfoldGradGetWorkspaceSize(
    const aclTensor* gradOut, const aclIntArray* inputSizes, int64_t dim, int64_t size,
    int64_t step, aclTensor* gradIn, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnUnfoldGrad(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
