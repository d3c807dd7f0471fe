/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient of long short-term memory over sequences (aclnn_lstm.h).
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * hx stands before params here. What aclnn_lstm.h says of tensors and attributes holds, but for
 * these:
 *
 * gradY, gradHy, gradCy   as output, hy and cy of the forward; null is 0, all three give gradients
 *                         of 0
 * i ... tanhc             what the forward kept with train; read whatever train says
 * dropout, outputMask     not used; outputMask may be null
 * gradInput               as input
 * gradHx, gradCx          [numLayers D, B, H]
 * gradParams              as params
 *
 * Sums over time are taken against the direction, last step first, over the batch from its first
 * element on, in FLOAT, of DOUBLE in DOUBLE; results are rounded once. Outputs must not overlap
 * inputs.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLstmBackwardGetWorkspaceSize(
    const aclTensor* input, const aclTensorList* hx, const aclTensorList* params,
    const aclTensor* gradYOptional, const aclTensor* gradHyOptional,
    const aclTensor* gradCyOptional, const aclTensorList* i, const aclTensorList* j,
    const aclTensorList* f, const aclTensorList* o, const aclTensorList* h, const aclTensorList* c,
    const aclTensorList* tanhc, const aclTensor* batchSizesOptional, bool hasBiases,
    int64_t numLayers, double dropout, bool train, bool bidirectional, bool batchFirst,
    const aclBoolArray* outputMaskOptional, aclTensor* gradInput, aclTensor* gradHx,
    aclTensor* gradCx, const aclTensorList* gradParams, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLstmBackward(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
