/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of two batches of matrices, added to a tensor.
 *
 * cubeMathType: 0 keep the dtype, 1 allow less precision for FLOAT, 2 round the inputs to FLOAT16
 * (FLOAT inputs; ignored for BF16), 3 allow hf32, 4 FLOAT accumulation; others 161002. 1, 3 and 4
 * compute as 0 here. On Atlas 910 and 310P, FLOAT inputs with 0 or 3 give 161002 (as the vendor's
 * hardware has no such unit), and BF16 is refused.
 *
 * Data types: FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950, in any mixture; FLOAT with a
 * 16-bit type or FLOAT16 with BF16 compute in FLOAT. 16-bit products accumulate in FLOAT and are
 * rounded once to the output's dtype. Bits depend neither on the number of threads nor on how the
 * operands lie in memory.
 * BF16 products of at least 2^15 multiplications, with 16 terms or more, use the processor's own
 * instruction for them where it has a fast one (AMX; AVX512_BF16, but on cores of Intel since
 * Sapphire Rapids). It adds two terms at a time and takes subnormal numbers for 0, so those bits
 * depend on the processor. With ACL_OPT_DETERMINISTIC (see aclrtSetSysParamOpt) they are those of
 * every processor.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out[b] = beta * self[b] + alpha * (batch1[b] @ batch2[b]): batch1 [B,M,K], batch2 [B,K,N] or
 * [1,K,N], out [B,M,N]; self is of rank 3 or less and broadcasts to out's shape. beta and alpha
 * are converted to FLOAT. A beta of 0 (below FLOAT's epsilon) means that self is not read: a NaN
 * there does not show. With an alpha of 0 the product is computed all the same. K = 0 gives beta
 * times self; B, M or N = 0: success, nothing is written. Limits: beta and alpha not complex;
 * batch2's size batch1's or 1; self broadcasts; formats those of self where that has 3 dimensions,
 * too. self is empty exactly if the product is.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnBaddbmmGetWorkspaceSize(
    const aclTensor* self, const aclTensor* batch1, const aclTensor* batch2, const aclScalar* beta,
    const aclScalar* alpha, aclTensor* out, int8_t cubeMathType, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnBaddbmm(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

/*
 * selfRef = beta * selfRef + alpha * (batch1 @ batch2). As aclnnBaddbmm with out = selfRef, so
 * selfRef is [B,M,N].
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceBaddbmmGetWorkspaceSize(
    const aclTensor* selfRef, const aclTensor* batch1, const aclTensor* batch2,
    const aclScalar* beta, const aclScalar* alpha, int8_t cubeMathType, uint64_t* workspaceSize,
    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceBaddbmm(void* workspace, uint64_t workspaceSize,
                                                    aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
