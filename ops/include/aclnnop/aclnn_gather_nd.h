/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements or slices by rows of coordinates: TensorFlow's gather_nd, ONNX's GatherND without batch
 * dimensions.
 *
 * Every value keeps its bits. out must not overlap an input.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64,
 * BOOL, COMPLEX64, COMPLEX128, and BF16 on Atlas A2, A3 and 950; out has the dtype of self.
 * indices: INT32, INT64.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Each row of indices, along its last dimension of size K, has the numbers of the first K
 * dimensions of self; K may be 0, and is at most the rank of self. out has the shape of indices
 * without its last dimension, and behind it the dimensions of self from K on:
 *   out[p, ...] = self[indices[p, 0], ..., indices[p, K - 1], ...]
 * A negative number counts from the end where negativeIndexSupport is true, and is out of range
 * otherwise. A number outside its range ends the task with an error, which the next synchronisation
 * of the stream returns, and a message that names it; nothing is written then.
 *
 * Limits: ranks at most 8; indices has at least one dimension. A self without elements is refused
 * where out has some. An empty out: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGatherNdGetWorkspaceSize(
    const aclTensor* self, const aclTensor* indices, bool negativeIndexSupport, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGatherNd(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
