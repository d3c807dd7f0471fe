/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The norm of each tensor of a list, as clipping of gradients takes it.
 *
 * A size that breaks a rule below gives 561002. No output may overlap an input. A list owns its
 * tensors: aclDestroyTensorList destroys them.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out[i] = (sum |x|^p)^(1/p) of all elements of x[i], with p = scalar as FLOAT; for p = infinity
 * the largest |x|, for -infinity the smallest, for p = 0 the number of elements that are not 0. On
 * 950 every scalar but 1 and infinity counts as 2. There is an out for each x, of one element.
 * Data types: FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950, the same for all tensors; scalar
 * FLOAT, DOUBLE or INT64. The computation runs in DOUBLE and rounds once; powers beyond DOUBLE's
 * range give infinity. An x without elements gives 0. Limits: ranks at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachNormGetWorkspaceSize(const aclTensorList* x,
                                                                 const aclScalar* scalar,
                                                                 const aclTensorList* out,
                                                                 uint64_t* workspaceSize,
                                                                 aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachNorm(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
