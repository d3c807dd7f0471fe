// SPDX-License-Identifier: Apache-2.0
// Operands and results of products in pairs (product_kernel_pairs.h), on their way from and to
// tensors.
#pragma once

#include <cstdint>

#include "ops/matmul/product_kernel_pairs.h"

#if defined(__x86_64__)
// Functions with an attribute rather than a file with an option: what the compiler makes of a
// header's inline functions in this file may be what other files call, on a processor without
// AVX-512.
#define ACLGRAD_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl")))
#define ACLGRAD_AVX512_BF16 __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16")))
#define ACLGRAD_AMX __attribute__((target("amx-tile,amx-bf16")))

namespace aclgrad::ops {

constexpr int64_t round_up(int64_t value, int64_t whole) {
  return (value + whole - 1) / whole * whole;
}

// An operand by lines of terms: rows of a, columns of b.
struct Lines {
  const uint16_t* data;
  int64_t line_stride;
  int64_t term_stride;
};

// Groups of 16 lines, each with its pairs one after the other, 16 lines of a pair side by side.
void pack_columns(const Lines& from, int64_t lines, int64_t terms, uint32_t* to);

// Each line with its pairs side by side, `pairs` of them; lines that are not there are zeros.
void pack_rows(const Lines& from, int64_t lines, int64_t terms, int64_t pairs, uint32_t* to);

}  // namespace aclgrad::ops
#endif
