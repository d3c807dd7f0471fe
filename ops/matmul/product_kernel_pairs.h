// SPDX-License-Identifier: Apache-2.0
// BFLOAT16 products by the processor's own instructions for them, which add two terms at a time:
// AMX where there is one, otherwise AVX512_BF16.
//
// The sums are floats. AMX adds 32 terms in two chains of fused multiply-adds from 0, those with
// even and those with odd numbers, adds these two, and then the result to the sum so far.
// AVX512_BF16 adds pair after pair to the sum so far, with one or two roundings for each that its
// documents leave open. Both take subnormal numbers for 0. Neither how the output is cut nor how
// operands lie in memory changes a bit, but they are not the bits of other processors.
#ifndef ACLGRAD_OPS_MATMUL_PRODUCT_KERNEL_PAIRS_H_
#define ACLGRAD_OPS_MATMUL_PRODUCT_KERNEL_PAIRS_H_

#include "ops/matmul/product_kernel.h"

namespace aclgrad::ops {

// Whether this processor has such an instruction, and kernels may use it for so large a product.
// The size of the rows does not count: whether a batch is joined into them depends on the layout.
bool multiplies_in_pairs(const MatmulProblem& problem);

enum class PairInstruction { kNone, kAvx512Bf16, kAmx };

// The one that this processor is best at.
PairInstruction pair_instruction();

// Of operands in BFLOAT16, by an instruction that the processor has.
void multiply_in_pairs(const ProductPart& part, PairInstruction instruction = pair_instruction());

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_MATMUL_PRODUCT_KERNEL_PAIRS_H_
