/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many elements lie in each of equal intervals.
 *
 * No output may overlap an input unless its comment says otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out[i] = how many elements of self lie in interval i of the bins > 0 equal ones from min to max;
 * max itself belongs to the last. Elements outside and NaN are left out. Where min = max, the range
 * is that of self's finite elements, and where that is one number v, or none and v = min, from v -
 * 1 to v + 1. Element x belongs to interval floor((x - min) bins / (max - min)), computed in
 * DOUBLE. min and max are finite, min <= max; out has the shape [bins] and self's dtype, to which
 * counts are rounded, or wrap. Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64,
 * UINT8, and BF16 on Atlas A2, A3 and 950. Limits: self's rank at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnHistcGetWorkspaceSize(const aclTensor* self, int64_t bins,
                                                           const aclScalar* min,
                                                           const aclScalar* max, aclTensor* out,
                                                           uint64_t* workspaceSize,
                                                           aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnHistc(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
