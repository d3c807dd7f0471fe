/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Zeros.
 *
 * Statuses of the first phase: 0; 161001 when workspaceSize or executor is null (tested first) or a
 * required argument is; 161002 when an argument breaks a rule below; 561103 when a strided view
 * leaves its storage. The second phase queues the work on the stream: 0; 161001 for a null
 * executor, or for a null workspace of a size above 0. Views may have any strides; inputs may
 * overlap or be expanded (stride 0). An output may be exactly an input; any other overlap is
 * undefined, and ACLGRAD_CHECK=memory reports it.
 */
#ifndef ACLGRAD_ACLNNOP_ACLNN_ZERO_H_
#define ACLGRAD_ACLNNOP_ACLNN_ZERO_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * selfRef = 0. Data types: INT8, INT16, INT32, INT64, UINT8, UINT16, FLOAT, FLOAT16, BF16, DOUBLE,
 * BOOL, COMPLEX64, COMPLEX128. Order of the checks: selfRef not null; dtype. Any rank.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceZeroGetWorkspaceSize(aclTensor* selfRef,
                                                                 uint64_t* workspaceSize,
                                                                 aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceZero(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif /* ACLGRAD_ACLNNOP_ACLNN_ZERO_H_ */
