/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inverse of the logistic function.
 *
 *   out = log(z / (1 - z))
 *   z   = self, for eps >= 0 held between eps and 1 - eps
 *
 * -infinity and infinity at 0 and 1, NaN outside. Both bounds are numbers of FLOAT, of DOUBLE for
 * DOUBLE.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * eps         negative for no bounds
 * out         dtype and shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLogitGetWorkspaceSize(const aclTensor* self, double eps,
                                                           aclTensor* out, uint64_t* workspaceSize,
                                                           aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLogit(void* workspace, uint64_t workspaceSize,
                                           aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
