/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums, means or largest elements of bags of embeddings.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3 and 950; perSampleWeights and output
 * have the dtype of weight. indices, offsets, offset2bag, bagSize, maxIndices: INT32, INT64, each
 * its own. Computed in DOUBLE, each bag in the order of its indices, and rounded once: the same
 * bits with any number of threads.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Bag b has the rows of weight [V, D] of indices[offsets[b]] up to, without it, indices[offsets[b +
 * 1]]; the last bag reaches to the end of indices or, with includeLastOffset, to the last offset,
 * behind which no bag begins. indices and offsets have one dimension; offsets begin with 0 and do
 * not fall. Negative indices count from the end. One outside its range ends the task with an error,
 * which the next synchronisation of the stream returns, and a message that names it; nothing is
 * written then. Offsets that break their rules end it in the same way. An index that equals
 * paddingIdx does not count (a negative paddingIdx: all do).
 *
 * output [bags, D] is the sum of the bag's rows (mode 0), each multiplied by its number in
 * perSampleWeights, of the size of indices, or null; their mean (1); or the largest of each column,
 * the first of equal ones, NaN where there is one (2). An empty bag gives 0. offset2bag, of the
 * size of indices, is the bag of each index, and the number of bags for those behind the last
 * offset; of size [0] it is left alone. bagSize [bags] has the numbers of indices that count, in
 * every mode. maxIndices is [bags, D] for mode 2 and has the rows of the largest elements, 0 in an
 * empty bag; for other modes it is [bags] or [0] and left alone. scaleGradByFreq and sparse, which
 * are of the gradient, are ignored. Limits: perSampleWeights for mode 0 only.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnEmbeddingBagGetWorkspaceSize(
    const aclTensor* weight, const aclTensor* indices, const aclTensor* offsets,
    bool scaleGradByFreq, int64_t mode, bool sparse, const aclTensor* perSampleWeights,
    bool includeLastOffset, int64_t paddingIdx, aclTensor* output, aclTensor* offset2bag,
    aclTensor* bagSize, aclTensor* maxIndices, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnEmbeddingBag(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
