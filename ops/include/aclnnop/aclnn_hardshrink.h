/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hardshrink.
 *
 *   out = 0      -lambd <= self <= lambd
 *         self   otherwise
 *
 * A negative lambd leaves everything as it is. NaN stays.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * lambd       of any real dtype; rounded to FLOAT unless self is DOUBLE
 * out         dtype and shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnHardshrinkGetWorkspaceSize(const aclTensor* self,
                                                                const aclScalar* lambd,
                                                                aclTensor* out,
                                                                uint64_t* workspaceSize,
                                                                aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnHardshrink(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
