// SPDX-License-Identifier: Apache-2.0
// BFLOAT16 products by the processor's own instructions for them, which add two terms at a time:
// AMX where there is one, otherwise AVX512_BF16.
//
// The sums are floats. AMX adds 32 terms in two chains of fused multiply-adds from 0, those with
// even and those with odd numbers, adds these two, and then the result to the sum so far.
// AVX512_BF16 adds pair after pair to the sum so far, with one or two roundings for each that its
// documents leave open. Both take subnormal numbers for 0. Neither how the output is cut nor how
// operands lie in memory changes a bit, but they are not the bits of other processors.
#pragma once

#include "ops/matmul/product_kernel.h"

namespace aclgrad::ops {

// Whether this processor multiplies faster by such an instruction than it multiplies floats, and
// kernels may use it for so large a product.
// The size of the rows does not count: whether a batch is joined into them depends on the layout.
bool multiplies_in_pairs(const MatmulProblem& problem);

bool pairs_are_faster();

enum class PairInstruction { kNone, kAvx512Bf16, kAmx };

// Of those that this processor has, the one that it is best at.
PairInstruction pair_instruction();

// Of operands in BFLOAT16, by an instruction that the processor has.
void multiply_in_pairs(const ProductPart& part, PairInstruction instruction = pair_instruction());

// What it consists of, for those who have operands of another kind.

// Rows, columns and terms of a block.
inline constexpr int64_t kPairBlock = 32;

// The sums of a block of the output.
struct PairBlock {
  const void* a;      // rows of BFLOAT16 terms,
  int64_t a_row;      // so many elements apart
  const uint32_t* b;  // pairs of terms: for 16 columns side by side all pairs, then for 16 more
  int64_t pairs;      // whole blocks of terms
  float* sums;
  int64_t sums_row;  // in elements
  bool adds;         // to what is there
};

// Multiplies blocks by an instruction that the processor has. As long as it lives, tiles belong to
// the calling thread, which may not multiply otherwise.
class PairMultiplier {
 public:
  explicit PairMultiplier(PairInstruction instruction = pair_instruction());
  ~PairMultiplier();
  PairMultiplier(const PairMultiplier&) = delete;
  PairMultiplier& operator=(const PairMultiplier&) = delete;

  // Neighbouring blocks, of so many columns together.
  void operator()(PairBlock block, int64_t columns) const;

 private:
  PairInstruction instruction_;
};

// The pairs of b as blocks have them, with zeros to the ends of the last ones. Element (term,
// column) of what it is made of lies at column * column_stride + term * term_stride.
void pack_pairs(const uint16_t* b, int64_t column_stride, int64_t term_stride, int64_t columns,
                int64_t terms, uint32_t* to);
// Those of whole blocks from pairs in another order: pair i of the columns begins at offsets[i].
void gather_pairs(const uint32_t* from, const int64_t* offsets, int64_t pairs, int64_t columns,
                  uint32_t* to);
// to[i] = the pair of even[i] and odd[i], for whole blocks of them.
void make_pairs(const uint16_t* even, const uint16_t* odd, int64_t count, uint32_t* to);

// Rounds sums to BFLOAT16, with the bits of finish_sums(): the instruction takes subnormal numbers
// for 0, but so did those that made the sums.
void round_sums(const float* sums, int64_t sums_row, int64_t rows, int64_t columns, uint16_t* to,
                int64_t to_row);

}  // namespace aclgrad::ops
