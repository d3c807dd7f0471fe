/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers at equal distances, with the end.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out[i] = start + i * step, as aclnnArange computes it, up to the end and with it: out has
 * (end - start) / step elements, rounded down, and one more. Integers are counted exactly.
 *
 * Data types: out: FLOAT16, FLOAT, DOUBLE, INT64, INT32, and BF16 on Atlas A2, A3 and 950. The
 * scalars: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, and BF16 on Atlas A2, A3
 * and 950; finite. step is not 0 and leads from start to end. out may have any shape, and is filled
 * in the order of its rows.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnRangeGetWorkspaceSize(const aclScalar* start,
                                                           const aclScalar* end,
                                                           const aclScalar* step, aclTensor* out,
                                                           uint64_t* workspaceSize,
                                                           aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnRange(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
