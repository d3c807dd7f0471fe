/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CELU, of which aclnnEluBackward with scale 1 and inputScale 1 / alpha is the derivative.
 *
 *   out = self                             self > 0
 *         alpha * (e^(self / alpha) - 1)   otherwise
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * alpha       of any real dtype; rounded to FLOAT unless self is DOUBLE; not 0
 * out         dtype and shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnCeluGetWorkspaceSize(const aclTensor* self,
                                                          const aclScalar* alpha, aclTensor* out,
                                                          uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnCelu(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnCelu with selfRef as both input and output.
 *
 * selfRef     FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * alpha       of any real dtype; rounded to FLOAT unless self is DOUBLE; not 0
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceCeluGetWorkspaceSize(aclTensor* selfRef,
                                                                 const aclScalar* alpha,
                                                                 uint64_t* workspaceSize,
                                                                 aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceCelu(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
