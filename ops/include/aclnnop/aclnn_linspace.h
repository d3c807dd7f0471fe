/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A number of equal steps from one number to another.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out[i] = start + i * step in the first half and end - (steps - 1 - i) * step in the second, with
 * step = (end - start) / (steps - 1): both ends are exact. One step gives start. Computed in DOUBLE
 * and rounded once; integers are truncated toward 0 and saturate. out is filled in the order of its
 * rows and has `steps` elements, in any shape.
 *
 * Data types: out: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, and BF16 on Atlas A2,
 * A3 and 950; the scalars: these and BOOL. Limits: steps not negative; rank of out at most 8. An
 * empty out: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLinspaceGetWorkspaceSize(const aclScalar* start,
                                                              const aclScalar* end, int64_t steps,
                                                              aclTensor* out,
                                                              uint64_t* workspaceSize,
                                                              aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLinspace(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
