/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gradient of aclnnEmbedding with respect to the weight.
 *
 * No output may overlap an input.
 *
 * Data types: grad, out: FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950, converted into each
 * other. indices: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, truncated to
 * integers.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out[v, :] = the sum of the rows of grad whose index is v, divided by their number when
 * scaleGradByFreq is set; the row paddingIdx is 0. As int64_t, a negative paddingIdx (-1) means
 * none. The rows are added in the order of the indices, in double, and rounded once. out is
 * [numWeights, D]; grad has D as its last size and as many rows as there are indices. An index that
 * is negative or not less than numWeights ends the task with an error, which the next
 * synchronisation of the stream returns, and a message that names the index; nothing is written
 * then.
 *
 * Limits: ranks at most 8, grad's at least 1; private formats are refused. An empty grad or
 * indices: out is filled with 0. An empty out: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnEmbeddingDenseBackwardGetWorkspaceSize(
    const aclTensor* grad, const aclTensor* indices, uint64_t numWeights, uint64_t paddingIdx,
    bool scaleGradByFreq, const aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnEmbeddingDenseBackward(void* workspace, uint64_t workspaceSize,
                                                            aclOpExecutor* executor,
                                                            const aclrtStream stream);

ACLGRAD_END_DECLS
