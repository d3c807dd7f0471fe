/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Product of a matrix and a vector.
 *
 * cubeMathType is that of aclnnMm (aclnn_mm.h): 2 rounds FLOAT inputs to FLOAT16, others from 0 to
 * 4 change nothing here; not looked at for DOUBLE and integers but for its range. On Atlas 910 and
 * 310P, FLOAT with 0 or 3 gives 161002.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out[n] = the sum over m of self[n,m] * vec[m], with self [N,M], vec [M], out [N]. Data types:
 * FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, and BF16 on Atlas A2, A3 and 950; of
 * all tensors the same. 16-bit products accumulate in FLOAT and are rounded once; integers wrap. M
 * = 0 fills out with 0; N = 0: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMvGetWorkspaceSize(const aclTensor* self, const aclTensor* vec,
                                                        aclTensor* out, int8_t cubeMathType,
                                                        uint64_t* workspaceSize,
                                                        aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMv(void* workspace, uint64_t workspaceSize,
                                        aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
