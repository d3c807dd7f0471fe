/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers at equal distances.
 *
 * No output may overlap an input.
 *
 * Data types: out: FLOAT16, FLOAT, DOUBLE, INT64, INT32, and BF16 on Atlas A2, A3 and 950. The
 * scalars: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, and BF16 on Atlas A2, A3
 * and 950.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out[i] = start + i * step, computed in double (in int64_t when out is INT64) and rounded to out's
 * dtype. The scalars are read as double for a floating out, else as integers. step is not 0 and
 * leads from start to end. out has (end - start) / step elements, rounded up, in any shape, and is
 * filled in the order of its rows.
 *
 * An empty out: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnArangeGetWorkspaceSize(const aclScalar* start,
                                                            const aclScalar* end,
                                                            const aclScalar* step, aclTensor* out,
                                                            uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnArange(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, const aclrtStream stream);

ACLGRAD_END_DECLS
