// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/product_kernel_pairs_pack.h"

#include <algorithm>

#if defined(__x86_64__)
// GCC 12 takes what its own header leaves undefined on purpose for a mistake.
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

namespace aclgrad::ops {
namespace {

// A vector holds 16 pairs of terms, or one pair of 16 columns.
constexpr int64_t kWidth = kPairBlock / 2;

using Vectors = __m512i[kWidth];

// Element j of vector i becomes element i of vector j.
ACLGRAD_AVX512 void transpose(Vectors& v) {
  Vectors w;
  for (int i = 0; i < 16; i += 2) {
    w[i] = _mm512_unpacklo_epi32(v[i], v[i + 1]);
    w[i + 1] = _mm512_unpackhi_epi32(v[i], v[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {
    v[i] = _mm512_unpacklo_epi64(w[i], w[i + 2]);
    v[i + 1] = _mm512_unpackhi_epi64(w[i], w[i + 2]);
    v[i + 2] = _mm512_unpacklo_epi64(w[i + 1], w[i + 3]);
    v[i + 3] = _mm512_unpackhi_epi64(w[i + 1], w[i + 3]);
  }
  // Now a quarter of vector i holds four elements of a column; quarters are put together.
  for (int i = 0; i < 16; i += 8) {
    for (int j = 0; j < 4; ++j) {
      w[i + j] = _mm512_shuffle_i32x4(v[i + j], v[i + j + 4], 0x88);
      w[i + j + 4] = _mm512_shuffle_i32x4(v[i + j], v[i + j + 4], 0xdd);
    }
  }
  for (int j = 0; j < 8; ++j) {
    v[j] = _mm512_shuffle_i32x4(w[j], w[j + 8], 0x88);
    v[j + 8] = _mm512_shuffle_i32x4(w[j], w[j + 8], 0xdd);
  }
}

// The first `count` of 16 or 32 numbers, and zeros.
ACLGRAD_AVX512 __attribute__((always_inline)) inline __m256i load_16(const uint16_t* from,
                                                                     int64_t count) {
  if (count >= 16) return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  return _mm256_maskz_loadu_epi16(static_cast<__mmask16>((1 << std::max<int64_t>(count, 0)) - 1),
                                  from);
}
ACLGRAD_AVX512 __attribute__((always_inline)) inline __m512i load_32(const uint16_t* from,
                                                                     int64_t count) {
  if (count >= 32) return _mm512_loadu_si512(from);
  return _mm512_maskz_loadu_epi16(static_cast<__mmask32>((uint64_t{1} << count) - 1), from);
}

ACLGRAD_AVX512 __attribute__((always_inline)) inline __m512i pairs_of(__m256i even, __m256i odd) {
  return _mm512_or_si512(_mm512_cvtepu16_epi32(even),
                         _mm512_slli_epi32(_mm512_cvtepu16_epi32(odd), 16));
}

// 16 lines with 16 pairs of terms, or fewer where they are not whole, from a line and a term on: a
// vector for each pair with its numbers from all lines, or for each line with all its pairs. Zeros
// stand for what is not there.
template <bool kWhole>
ACLGRAD_AVX512 __attribute__((always_inline)) inline void load_some_pairs(
    const Lines& from, int64_t line, int64_t lines, int64_t term, int64_t terms, bool by_pairs,
    Vectors& vectors) {
  const uint16_t* const data = from.data + line * from.line_stride + term * from.term_stride;
  const bool reads_by_pairs = from.line_stride == 1 && from.term_stride != 1;
  if (reads_by_pairs) {
#pragma GCC unroll 16
    for (int64_t i = 0; i < kWidth; ++i) {
      const uint16_t* const even = data + 2 * i * from.term_stride;
      const __m256i first = load_16(even, kWhole ? kWidth : 2 * i < terms ? lines : 0);
      const __m256i second = load_16(even + from.term_stride, kWhole              ? kWidth
                                                              : 2 * i + 1 < terms ? lines
                                                                                  : 0);
      vectors[i] = pairs_of(first, second);
    }
  } else {
    for (int64_t i = 0; i < kWidth; ++i) {
      const uint16_t* at = data + i * from.line_stride;
      const int64_t count = kWhole ? kPairBlock : i < lines ? std::min(terms, kPairBlock) : 0;
      alignas(64) uint16_t dense[kPairBlock];
      if (from.term_stride != 1) {
        for (int64_t t = 0; t < count; ++t) dense[t] = at[t * from.term_stride];
        at = dense;
      }
      vectors[i] = load_32(at, count);
    }
  }
  if (reads_by_pairs != by_pairs) transpose(vectors);
}
ACLGRAD_AVX512 __attribute__((always_inline)) inline void load_pairs(const Lines& from,
                                                                     int64_t line, int64_t lines,
                                                                     int64_t term, int64_t terms,
                                                                     bool by_pairs,
                                                                     Vectors& vectors) {
  if (lines >= kWidth && terms >= kPairBlock) {
    load_some_pairs<true>(from, line, lines, term, terms, by_pairs, vectors);
  } else {
    load_some_pairs<false>(from, line, lines, term, terms, by_pairs, vectors);
  }
}

}  // namespace

ACLGRAD_AVX512 void pack_columns(const Lines& from, int64_t lines, int64_t terms, uint32_t* to) {
  const int64_t group = round_up(terms, kPairBlock) / 2 * kWidth;
  for (int64_t block = 0; block < lines; block += kPairBlock, to += 2 * group) {
    for (int64_t term = 0; term < terms; term += kPairBlock) {
      // Both groups, while the cache lines that they share are near.
      for (const int64_t half : {int64_t{0}, int64_t{1}}) {
        const int64_t line = block + half * kWidth;
        Vectors vectors;
        load_pairs(from, line, std::clamp<int64_t>(lines - line, 0, kWidth), term, terms - term,
                   true, vectors);
        uint32_t* const pairs = to + half * group + term / 2 * kWidth;
        for (int64_t i = 0; i < kWidth; ++i) _mm512_store_si512(pairs + i * kWidth, vectors[i]);
      }
    }
  }
}

ACLGRAD_AVX512 void pack_rows(const Lines& from, int64_t lines, int64_t terms, int64_t pairs,
                              uint32_t* to) {
  for (int64_t line = 0; line < kPairBlock; line += kWidth) {
    for (int64_t term = 0; term < terms; term += kPairBlock) {
      Vectors vectors;
      load_pairs(from, line, std::clamp<int64_t>(lines - line, 0, kWidth), term, terms - term,
                 false, vectors);
      for (int64_t i = 0; i < kWidth; ++i) {
        _mm512_store_si512(to + (line + i) * pairs + term / 2, vectors[i]);
      }
    }
  }
}

ACLGRAD_AVX512_BF16 void round_sums(const float* sums, int64_t sums_row, int64_t rows,
                                    int64_t columns, uint16_t* to, int64_t to_row) {
  for (; rows > 0; --rows, sums += sums_row, to += to_row) {
    int64_t i = 0;
    for (; i + kPairBlock <= columns; i += kPairBlock) {
      const auto both =
          _mm512_cvtne2ps_pbh(_mm512_loadu_ps(sums + i + kWidth), _mm512_loadu_ps(sums + i));
      _mm512_storeu_si512(to + i, reinterpret_cast<__m512i>(both));
    }
    if (i == columns) continue;
    const auto some = static_cast<__mmask32>((uint64_t{1} << (columns - i)) - 1);
    const auto lower = _mm512_maskz_loadu_ps(static_cast<__mmask16>(some), sums + i);
    const auto upper = _mm512_maskz_loadu_ps(static_cast<__mmask16>(some >> 16), sums + i + kWidth);
    const auto both = _mm512_cvtne2ps_pbh(upper, lower);
    _mm512_mask_storeu_epi16(to + i, some, reinterpret_cast<__m512i>(both));
  }
}

void pack_pairs(const uint16_t* b, int64_t column_stride, int64_t term_stride, int64_t columns,
                int64_t terms, uint32_t* to) {
  pack_columns({b, column_stride, term_stride}, columns, terms, to);
}

ACLGRAD_AVX512 void gather_pairs(const uint32_t* from, const int64_t* offsets, int64_t pairs,
                                 int64_t columns, uint32_t* to) {
  for (int64_t j = 0; j < columns; j += kWidth) {
    for (int64_t i = 0; i < pairs; ++i, to += kWidth) {
      _mm512_store_si512(to, _mm512_loadu_si512(from + offsets[i] + j));
    }
  }
}

ACLGRAD_AVX512 void make_pairs(const uint16_t* even, const uint16_t* odd, int64_t count,
                               uint32_t* to) {
  for (int64_t i = 0; i < count; i += kWidth) {
    _mm512_store_si512(to + i, pairs_of(load_16(even + i, kWidth), load_16(odd + i, kWidth)));
  }
}

}  // namespace aclgrad::ops

#else

namespace aclgrad::ops {

void pack_pairs(const uint16_t*, int64_t, int64_t, int64_t, int64_t, uint32_t*) {}
void gather_pairs(const uint32_t*, const int64_t*, int64_t, int64_t, uint32_t*) {}
void make_pairs(const uint16_t*, const uint16_t*, int64_t, uint32_t*) {}
void round_sums(const float*, int64_t, int64_t, int64_t, uint16_t*, int64_t) {}

}  // namespace aclgrad::ops

#endif
