/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Long short-term memory over sequences, in layers and directions: for every step
 *
 *   i, f, o = sigmoid, j = tanh of x w_ih^T + b_ih + h w_hh^T + b_hh
 *   c' = f * c + i * j, h' = o * tanh(c')
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * With T steps, a batch of B, H units, D = 2 directions if bidirectional, otherwise 1:
 *
 * input          [T, B, In], or [B, T, In] with batchFirst. FLOAT, FLOAT16, DOUBLE; BF16
 *                (Ascend910B, Ascend910_93, Ascend950); all tensors are alike
 * params         for each layer and each of its directions w_ih [4H, In, or D H above the first
 *                layer], w_hh [4H, H] and, with hasBiases, b_ih and b_hh [4H]; gates i, f, j, o
 *
 * hx             h and c before the first step, [numLayers D, B, H]; layer by layer, in each the
 *                direction from the front first
 *
 * batchSizes     null or without elements; or INT64 [T] with the same number B for each step, for
 *                an input [T B, In] and an output [T B, D H]. Other numbers end the task
 *
 * numLayers      1 or more
 *
 * dropout        0 to 1; 0 in training between layers: there is neither a seed nor a mask
 *
 * output         as input, with D H columns: h of the last layer after every step
 *
 * hy, cy         after the last step, as hx
 *
 * i, j, f, o, h, c, tanhc
 *                with train, numLayers D tensors [T, B, H] each, also with batchFirst: the gates
 *                after their functions, h, c and tanh(c) after every step of the input. Without
 *                train they are not looked at; h and c must not be null
 *
 * Computed in FLOAT, of DOUBLE in DOUBLE; results are rounded once. The same bits on every run and
 * for every number of threads. Outputs must not overlap inputs.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnLSTMGetWorkspaceSize(
    const aclTensor* input, const aclTensorList* params, const aclTensorList* hx,
    const aclTensor* batchSizesOptional, bool hasBiases, int64_t numLayers, double dropout,
    bool train, bool bidirectional, bool batchFirst, aclTensor* output, aclTensor* hy,
    aclTensor* cy, const aclTensorList* i, const aclTensorList* j, const aclTensorList* f,
    const aclTensorList* o, const aclTensorList* h, const aclTensorList* c,
    const aclTensorList* tanhc, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLSTM(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
