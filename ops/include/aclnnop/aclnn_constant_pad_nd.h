/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Extends a tensor by a constant at the ends of its dimensions, or cuts it there.
 *
 * No output may overlap an input.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64,
 * BOOL, COMPLEX64, COMPLEX128, and BF16 on Atlas A2, A3 and 950; out has the dtype of self, to
 * which value is converted.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * pad holds pairs (begin, end), the first for the last dimension, the next for the one before, and
 * so on: out's size there is self's + begin + end, where self stands behind begin elements that are
 * value, and before end ones. Negative entries cut self; what is cut, at either end or at both,
 * must not exceed its size. pad has an even number of entries, at most twice the rank; other
 * dimensions stay as they are. When pad has a positive entry, no dimension with a pair may end up
 * with size 0. The gradient is aclnnConstantPadNd with the negated pad and value 0.
 *
 * Limits: out has the storage format of self, unless that is ND; ranks at most 8 and equal. An
 * empty self: out is filled with value. An empty out: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnConstantPadNdGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* pad, const aclScalar* value, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnConstantPadNd(void* workspace, uint64_t workspaceSize,
                                                   aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
