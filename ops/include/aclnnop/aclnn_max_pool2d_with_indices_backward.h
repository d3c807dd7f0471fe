/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient of maximum pooling.
 *
 * Statuses of the first phase: 0; 161001 when workspaceSize or executor is null (tested first) or a
 * required argument is; 161002 when an argument breaks a rule below; 561103 when a strided view
 * leaves its storage. The second phase queues the work on the stream: 0; 161001 for a null
 * executor, or for a null workspace of a size above 0. Views may have any strides; inputs may
 * overlap or be expanded (stride 0). An output that overlaps an input is undefined, and
 * ACLGRAD_CHECK=memory reports it.
 */
#ifndef ACLGRAD_ACLNNOP_ACLNN_MAX_POOL2D_WITH_INDICES_BACKWARD_H_
#define ACLGRAD_ACLNNOP_ACLNN_MAX_POOL2D_WITH_INDICES_BACKWARD_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * gradInput = 0, and gradOutput added up at the places that indices give. An index outside the
 * plane fails the run: the synchronization of the stream reports it. Data types: FLOAT, FLOAT16,
 * and BF16 on Atlas A2, A3 and 950, of gradOutput, self and gradInput the same; indices INT32 or
 * INT64. Sums are taken in DOUBLE and rounded once. Order of the checks: gradOutput, self, indices,
 * kernelSize, stride, padding, dilation, gradInput not null; dtypes; formats of self, gradOutput
 * and gradInput equal and not private, nor that of indices; rank of self 3 or 4; the arrays, as in
 * aclnnMaxPool2dWithIndices; a window has room; size of gradInput (self's), of gradOutput, indices
 * (the forward's out). An empty self: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
    const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding,
    const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMaxPool2dWithIndicesBackward(void* workspace,
                                                                  uint64_t workspaceSize,
                                                                  aclOpExecutor* executor,
                                                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif /* ACLGRAD_ACLNNOP_ACLNN_MAX_POOL2D_WITH_INDICES_BACKWARD_H_ */
