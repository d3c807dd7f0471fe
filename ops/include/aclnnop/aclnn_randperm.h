/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The numbers below n in a random order.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = 0, 1, .., n - 1, shuffled: for i from n - 1 down to 1, element i trades places with element
 * j, where j is what aclnnInplaceRandom of [0, i + 1) gives element i (Fisher and Yates). So every
 * order has the same probability, and an order depends on n, seed and offset only.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, and BF16 on Atlas A2, A3
 * and 950; floating ones round. Limits: n - 1 is within out's dtype; out is [n]. An empty out:
 * success.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnRandpermGetWorkspaceSize(int64_t n, int64_t seed,
                                                              int64_t offset, aclTensor* out,
                                                              uint64_t* workspaceSize,
                                                              aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnRandperm(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
