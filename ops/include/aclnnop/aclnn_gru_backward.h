/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient of gated recurrent units over sequences (aclnn_gru.h).
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * What aclnn_gru.h says of tensors and attributes holds.
 *
 * gradY, gradHy  as output and hy of the forward
 * r ... h        what the forward kept with train
 * gradInput      as input
 * gradHx         [numLayers D, B, H]
 * gradParams     as params
 *
 * Sums over time are taken against the direction, last step first, over the batch from its first
 * element on, in FLOAT, of DOUBLE in DOUBLE; results are rounded once. Outputs must not overlap
 * inputs.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGRUBackwardGetWorkspaceSize(
    const aclTensor* input, const aclTensorList* params, const aclTensor* hx,
    const aclTensor* gradY, const aclTensor* gradHy, const aclTensorList* r, const aclTensorList* z,
    const aclTensorList* n, const aclTensorList* hn, const aclTensorList* h,
    const aclTensor* batchSizesOptional, bool hasBiases, int64_t numLayers, bool bidirectional,
    bool batchFirst, aclTensor* gradInput, aclTensor* gradHx, const aclTensorList* gradParams,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGRUBackward(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
