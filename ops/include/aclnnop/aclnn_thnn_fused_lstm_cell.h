/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One step of long short-term memory, after its two products.
 *
 *   i, f, o = sigmoid, g = tanh of inputGates + hiddenGates (+ inputBias + hiddenBias)
 *   cy = f * cx + i * g, hy = o * tanh(cy)
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * inputGates, hiddenGates  [B, 4H]: the gates i, f, g, o side by side. FLOAT, FLOAT16, DOUBLE; BF16
 *                          (Ascend910B, Ascend910_93, Ascend950); all tensors are alike
 * cx, hy, cy               [B, H]
 * inputBias, hiddenBias    [4H], or both null
 * storage                  [B, 4H]: i, f, g, o after their functions, for the backward
 *
 * Computed in FLOAT, of DOUBLE in DOUBLE, and rounded once. Outputs must not overlap inputs.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnThnnFusedLstmCellGetWorkspaceSize(
    const aclTensor* inputGates, const aclTensor* hiddenGates, const aclTensor* cx,
    const aclTensor* inputBiasOptional, const aclTensor* hiddenBiasOptional, aclTensor* hy,
    aclTensor* cy, aclTensor* storage, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnThnnFusedLstmCell(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
