/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Largest element along a dimension, and where it stands.
 *
 * Statuses of the first phase: 0; 161001 when workspaceSize or executor is null (tested first) or
 * a required argument is; 161002 when an argument breaks a rule below; 561103 when a strided view
 * leaves its storage. The second phase queues the work on the stream: 0; 161001 for a null
 * executor, or for a null workspace of a size above 0. Views may have any strides; inputs may
 * overlap or be expanded (stride 0). An output must overlap no input unless its comment says
 * otherwise.
 */
#ifndef ACLGRAD_ACLNNOP_ACLNN_MAX_DIM_H_
#define ACLGRAD_ACLNNOP_ACLNN_MAX_DIM_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * out = the largest element of self along dim, indices = its place along dim: of equal elements
 * that of the first; of elements with a NaN among them the first NaN is taken. The dimension dim,
 * in [-n, n-1] (n = self's rank, 1 for 0-d), vanishes, or stays with size 1 when keepdim is set.
 * Data types: FLOAT, FLOAT16, INT64, INT32 (in the documents on 950 only), BOOL, and BF16 on
 * Atlas A2, A3 and 950; out has self's. indices may have any dtype that INT64 converts to; a
 * place that it does not hold wraps. An empty self: success, nothing is written. Order of the
 * checks: self, out, indices not null; dtype of self, out, indices; ranks at most 8; dim; shapes
 * of out, indices.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMaxDimGetWorkspaceSize(const aclTensor* self, int64_t dim,
                                                            bool keepdim, aclTensor* out,
                                                            aclTensor* indices,
                                                            uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMaxDim(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif /* ACLGRAD_ACLNNOP_ACLNN_MAX_DIM_H_ */
