/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix product of tensors of rank 1 to 6.
 *
 * cubeMathType: 0 keep the dtype, 1 allow less precision for FLOAT, 2 round the inputs to FLOAT16
 * (FLOAT inputs; ignored for BF16), 3 allow hf32, 4 FLOAT accumulation; others 161002. 1, 3 and 4
 * compute as 0 here. On Atlas 910 and 310P, FLOAT inputs with 0 or 3 give 161002 (as the vendor's
 * hardware has no such unit), and BF16 is refused.
 *
 * Data types: FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950, in any mixture; FLOAT with a 16-bit
 * type or FLOAT16 with BF16 compute in FLOAT. 16-bit products accumulate in FLOAT and are rounded
 * once to the output's dtype. Bits depend neither on the number of threads nor on how the operands
 * lie in memory.
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
 * out = self @ mat2 after NumPy's rules:
 *   [K] x [K] gives a single element, [M,K] x [K] gives [M], [K] x [K,N] gives [N],
 *   [..., M,K] x [..., K,N] gives [..., M,N] with the leading dimensions broadcast.
 * out must have that shape. K = 0 fills out with 0; an empty out: success, nothing is written.
 * Limits: ranks at most 6; no 0-d input; leading dimensions broadcast; no private format, but of
 * mat2, which is read as ND then (aclnn_trans_matmul_weight.h).
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMatmulGetWorkspaceSize(const aclTensor* self,
                                                            const aclTensor* mat2, aclTensor* out,
                                                            int8_t cubeMathType,
                                                            uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMatmul(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
