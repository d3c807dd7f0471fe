/* SPDX-License-Identifier: Apache-2.0 */
/*
 * p-norm over dimensions.
 *
 * No output may overlap an input unless its comment says otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = (sum |x|^p)^(1/p) of the elements of self over the dimensions in dim, with p = pScalar as
 * FLOAT; for p = infinity the largest |x|, for -infinity the smallest, for p = 0 the number of
 * elements that are not 0. dim lists dimensions in [-n, n-1] (n = self's rank, 1 for 0-d), each
 * once; an empty array means all of them. Reduced dimensions vanish, or stay with size 1 when
 * keepdim is set. Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3 and 950; out may
 * have another of them than self. The computation runs in DOUBLE and rounds once; powers beyond
 * DOUBLE's range give infinity. Outputs without elements (an empty self) become 0. Limits: pScalar
 * not complex; dim in range, no dimension twice; ranks at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnNormGetWorkspaceSize(const aclTensor* self,
                                                          const aclScalar* pScalar,
                                                          const aclIntArray* dim, bool keepdim,
                                                          aclTensor* out, uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnNorm(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
