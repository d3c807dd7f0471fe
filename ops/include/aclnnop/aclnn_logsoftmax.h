/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logarithm of the softmax.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = x - max - log(sum(exp(x - max))) along dimension dim, with x = self converted to out's
 * dtype first. Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3 and 950; self and out
 * may differ. FLOAT and DOUBLE are computed in DOUBLE and rounded once, FLOAT16 and BF16 in FLOAT
 * with sums in DOUBLE, within 0.501 ulp. A row of minus infinities gives NaN, and so does a row
 * with a NaN or plus infinity in it. Limits: dim in [-n, n-1] (n = 1 for 0-d); ranks at most 8. An
 * empty self: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLogSoftmaxGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                                aclTensor* out,
                                                                uint64_t* workspaceSize,
                                                                aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLogSoftmax(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
