/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges of a tensor along several dimensions, with steps.
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
 * aclnnSlice along each dimension axes[i], with starts[i], ends[i] and steps[i]. axes names no
 * dimension twice; negative numbers count from the end.
 *
 * Limits: ranks at most 8, at least 1; steps greater than 0. An empty result: success, nothing is
 * written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSliceV2GetWorkspaceSize(
    const aclTensor* self, const aclIntArray* starts, const aclIntArray* ends,
    const aclIntArray* axes, const aclIntArray* steps, aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSliceV2(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
