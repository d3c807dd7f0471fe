/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient of one step of long short-term memory (aclnn_thnn_fused_lstm_cell.h).
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * With dc = gradCy + gradHy * o * (1 - tanh(cy)^2), gradGates are the gradients of i, f, g and o
 * before their functions, dc * g * i * (1 - i), dc * cx * f * (1 - f), dc * i * (1 - g^2) and
 * gradHy * tanh(cy) * o * (1 - o); gradCx = dc * f. inputGates and hiddenGates both have gradGates
 * as their gradient, and both biases gradBias.
 *
 * gradHy, gradCy  [B, H]; one of them may be null, which is 0
 * cx, cy, gradCx  [B, H]; FLOAT, FLOAT16, DOUBLE; BF16 (Ascend910B, Ascend910_93, Ascend950); all
 *                 tensors are alike
 * storage         [B, 4H], of the forward
 * gradGates       [B, 4H]
 * gradBias        [4H], with hasBias: the sum of gradGates over the batch. Without hasBias it may
 * be null, and is not written
 *
 * Computed in FLOAT, of DOUBLE in DOUBLE, and rounded once. Outputs must not overlap inputs.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnThnnFusedLstmCellBackwardGetWorkspaceSize(
    const aclTensor* gradHyOptional, const aclTensor* gradCyOptional, const aclTensor* cx,
    const aclTensor* cy, const aclTensor* storage, bool hasBias, aclTensor* gradGates,
    aclTensor* gradCx, aclTensor* gradBiasOptional, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnThnnFusedLstmCellBackward(void* workspace,
                                                               uint64_t workspaceSize,
                                                               aclOpExecutor* executor,
                                                               aclrtStream stream);

ACLGRAD_END_DECLS
