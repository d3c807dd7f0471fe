/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batch normalization.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * output = (input - m) / sqrt(v + eps) * weight + bias for every channel (dimension 1). In training
 * m and v are the mean and the biased variance of the batch over all other dimensions; runningMean
 * becomes (1 - momentum) * runningMean + momentum * m in place, and runningVar the same of the
 * unbiased variance v n / (n - 1) (v, where n = 1); saveMean becomes m, and saveInvstd v itself on
 * Atlas A2, A3, 910 and 310P, but 1 / sqrt(v + eps) on 950. Otherwise m and v are runningMean and
 * runningVar, and nothing but output is written. In training 1 / sqrt(v + eps) counts as 0 where v
 * + eps is 0: output is bias then, as PyTorch has it. Null weight, bias, runningMean, runningVar
 * stand for 1, 0, 0, 1. momentum and eps are taken as FLOAT, of any value.
 *
 * Data types: FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950, of each tensor freely. The
 * computation runs in DOUBLE and rounds once. Limits: formats of input and output: equal, not
 * private, NCDHW for rank 5 (NHWC and NDHWC, with the channels last, on 950 only); rank 2 to 8. An
 * empty input succeeds behind the checks for null; saveMean becomes 0 and saveInvstd NaN.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnBatchNormGetWorkspaceSize(
    const aclTensor* input, const aclTensor* weight, const aclTensor* bias, aclTensor* runningMean,
    aclTensor* runningVar, bool training, double momentum, double eps, aclTensor* output,
    aclTensor* saveMean, aclTensor* saveInvstd, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnBatchNorm(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
