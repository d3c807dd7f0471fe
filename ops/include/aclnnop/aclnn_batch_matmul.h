/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Product of two batches of matrices.
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
 * out[b] = self[b] @ mat2[b]: self [B,M,K], mat2 [B,K,N], out [B,M,N]; either input may have a
 * batch of 1, which then serves every b. A transposed matrix is given as a strided view, which is
 * not copied. K = 0 fills out with 0; B, M or N = 0: success, nothing is written. Limits: ranks of
 * self, mat2, out, which are 3; batches equal or 1; self and out in no private format (mat2's is
 * not looked at).
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnBatchMatMulGetWorkspaceSize(
    const aclTensor* self, const aclTensor* mat2, aclTensor* out, int8_t cubeMathType,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnBatchMatMul(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
