/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gated recurrent units over sequences, in layers and directions: for every step
 *
 *   r, z = sigmoid of x w_ih^T + b_ih + h w_hh^T + b_hh
 *   n = tanh(x w_in^T + b_in + r * hn), hn = h w_hn^T + b_hn, h' = (1 - z) * n + z * h
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * What aclnn_lstm.h says of input, params, batchSizes, numLayers, dropout, output and hy holds,
 * with three gates in the order r, z, n: weights have 3H rows. hx is one tensor [numLayers D, B,
 * H].
 *
 * r, z, n, hn, h  with train, numLayers D tensors [T, B, H] each, also with batchFirst: the gates
 *                 after their functions, hn, and h after every step of the input. Without train
 *                 they are not looked at
 *
 * Computed in FLOAT, of DOUBLE in DOUBLE; results are rounded once. The same bits on every run and
 * for every number of threads. Outputs must not overlap inputs.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnGRUGetWorkspaceSize(
    const aclTensor* input, const aclTensorList* params, const aclTensor* hx,
    const aclTensor* batchSizesOptional, bool hasBiases, int64_t numLayers, double dropout,
    bool train, bool bidirectional, bool batchFirst, aclTensor* output, aclTensor* hy,
    const aclTensorList* r, const aclTensorList* z, const aclTensorList* n, const aclTensorList* hn,
    const aclTensorList* h, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGRU(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
