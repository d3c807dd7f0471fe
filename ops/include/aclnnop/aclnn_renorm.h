/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slices along a dimension, held to a norm.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3 and 950; out has the dtype of self.
 * p and maxNorm are of any real dtype.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * The slices are those of one index of dim, in [-n, n - 1] for a self of rank n. With the norm (sum
 * |x|^p)^(1/p) of a slice, for an infinite p its largest |x|, a slice of a norm above maxNorm is
 * multiplied by maxNorm / (norm + 1e-7); others, and those whose norm is NaN, stay as they are.
 * Computed in DOUBLE, in one order for any number of threads, and rounded once. out has the size of
 * self and may be self. An empty self: success, nothing is written. Limits: n in [2, 8]; p above 0,
 * maxNorm at least 0.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnRenormGetWorkspaceSize(const aclTensor* self,
                                                            const aclScalar* p, int64_t dim,
                                                            const aclScalar* maxNorm,
                                                            aclTensor* out, uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnRenorm(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnRenorm with the result in selfRef.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceRenormGetWorkspaceSize(aclTensor* selfRef,
                                                                   const aclScalar* p, int64_t dim,
                                                                   const aclScalar* maxNorm,
                                                                   uint64_t* workspaceSize,
                                                                   aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceRenorm(void* workspace, uint64_t workspaceSize,
                                                   aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
