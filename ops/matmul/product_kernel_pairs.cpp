// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/product_kernel_pairs.h"

#include <algorithm>
#include <cstdint>

#include "ops/engine/extent.h"
#include "ops/engine/instruction_set.h"
#include "ops/engine/thread_scratch.h"
#include "ops/matmul/matmul_kernel_direct.h"
#include "ops/matmul/product_kernel_pairs_pack.h"

#if defined(__x86_64__)
// GCC 12 takes what its own header leaves undefined on purpose for a mistake.
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hwy/highway.h"

namespace aclgrad::ops {
namespace {

// The system keeps the tiles of a process only if that has asked for it: they make every thread's
// state 8 KiB larger.
bool may_use_tiles() {
  constexpr int64_t kRequestPermission = 0x1023;
  constexpr int64_t kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

// Of CPUID; older compilers do not know the names of all.
constexpr unsigned kAmxBf16 = 1U << 22;
constexpr unsigned kAvx512Fp16 = 1U << 23;
constexpr unsigned kAmxTile = 1U << 24;
bool has_features(unsigned wanted) {
  unsigned a = 0, b = 0, c = 0, features = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &features) != 0 && (features & wanted) == wanted;
}

PairInstruction instruction_of_processor() {
  if (!__builtin_cpu_supports("avx512bf16") || !__builtin_cpu_supports("avx512vl") ||
      !__builtin_cpu_supports("avx512bw")) {
    return PairInstruction::kNone;
  }
  const bool has_amx = has_features(kAmxBf16 | kAmxTile);
  return has_amx && may_use_tiles() ? PairInstruction::kAmx : PairInstruction::kAvx512Bf16;
}

// From Sapphire Rapids on, cores of Intel begin a VDPBF16PS every other cycle, and two
// multiplications of floats in each: they have AMX for pairs, which virtual machines may hide.
bool multiplies_pairs_slowly() {
  return __builtin_cpu_is("intel") != 0 && has_features(kAvx512Fp16) &&
         pair_instruction() == PairInstruction::kAvx512Bf16;
}

// A vector, or a row of a tile, holds 16 pairs of terms, or one pair of 16 columns. A block of the
// output has twice as many rows and columns: four tiles of sums, two of a and two of b.
constexpr int64_t kWidth = kPairBlock / 2;
constexpr int64_t kTermsAtOnce = 4096;
constexpr int64_t kBytesOfB = 1 << 20;  // packed, that stay in a second-level cache
constexpr int64_t kMaxColumns = 1024;

ACLGRAD_AMX void multiply_by_tiles(const PairBlock& block) {
  const auto* a = static_cast<const unsigned char*>(block.a);
  const uint32_t* b = block.b;
  const int64_t a_row = block.a_row * static_cast<int64_t>(sizeof(uint16_t));
  const int64_t lower = kWidth * a_row;
  const int64_t right = kWidth * block.pairs;
  const int64_t sums_row = block.sums_row * static_cast<int64_t>(sizeof(float));
  float* const upper_sums = block.sums;
  float* const lower_sums = block.sums + kWidth * block.sums_row;
  if (block.adds) {
    _tile_loadd(0, upper_sums, sums_row);
    _tile_loadd(1, upper_sums + kWidth, sums_row);
    _tile_loadd(2, lower_sums, sums_row);
    _tile_loadd(3, lower_sums + kWidth, sums_row);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  for (int64_t pair = 0; pair < block.pairs; pair += kWidth, a += 64, b += kWidth * kWidth) {
    _tile_loadd(4, a, a_row);
    _tile_loadd(6, b, 64);
    _tile_loadd(7, b + right, 64);
    _tile_loadd(5, a + lower, a_row);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, upper_sums, sums_row);
  _tile_stored(1, upper_sums + kWidth, sums_row);
  _tile_stored(2, lower_sums, sums_row);
  _tile_stored(3, lower_sums + kWidth, sums_row);
}

struct TileShapes {
  uint8_t palette;
  uint8_t start_row;
  uint8_t reserved[14];
  uint16_t bytes_of_row[16];
  uint8_t rows[16];
};
static_assert(sizeof(TileShapes) == 64);

// The shape of every tile, 16 rows of 64 bytes, for the calling thread until it releases them.
ACLGRAD_AMX void take_tiles() {
  alignas(64) TileShapes shapes{};
  shapes.palette = 1;
  std::fill_n(shapes.bytes_of_row, 8, uint16_t{64});
  std::fill_n(shapes.rows, 8, uint8_t{kWidth});
  // Compilers take it to read eight bytes, and might leave the rest unwritten.
  asm volatile("" : : "m"(shapes));
  _tile_loadconfig(&shapes);
}
ACLGRAD_AMX void release_tiles() { _tile_release(); }

// One pair in all lanes.
ACLGRAD_AVX512_BF16 inline __m512bh broadcast_pair(int32_t pair) {
  __m512i all = _mm512_set1_epi32(pair);
#if defined(__clang__)
  asm("" : "+v"(all));  // clang 16 crashes where it sees what is cast
#endif
  return reinterpret_cast<__m512bh>(all);
}

ACLGRAD_AVX512_BF16 void multiply_by_vectors(const PairBlock& block) {
  constexpr int64_t kRows = 8;  // whose sums, two vectors each, keep the multipliers busy
  const int64_t right = kWidth * block.pairs;
  const int64_t a_row = block.a_row * static_cast<int64_t>(sizeof(uint16_t));
  for (int64_t row = 0; row < kPairBlock; row += kRows) {
    const auto* a = static_cast<const unsigned char*>(block.a) + row * a_row;
    float* const to = block.sums + row * block.sums_row;
    __m512 sums[kRows][2];
#pragma GCC unroll 8
    for (int64_t r = 0; r < kRows; ++r) {
      const float* const at = to + r * block.sums_row;
      sums[r][0] = block.adds ? _mm512_loadu_ps(at) : _mm512_setzero_ps();
      sums[r][1] = block.adds ? _mm512_loadu_ps(at + kWidth) : _mm512_setzero_ps();
    }
    const uint32_t* b = block.b;
    for (int64_t pair = 0; pair < block.pairs; ++pair, a += 4, b += kWidth) {
      const auto first = reinterpret_cast<__m512bh>(_mm512_load_si512(b));
      const auto second = reinterpret_cast<__m512bh>(_mm512_load_si512(b + right));
#pragma GCC unroll 8
      for (int64_t r = 0; r < kRows; ++r) {
        int32_t bits;
        __builtin_memcpy(&bits, a + r * a_row, sizeof bits);
        const __m512bh factor = broadcast_pair(bits);
        sums[r][0] = _mm512_dpbf16_ps(sums[r][0], factor, first);
        sums[r][1] = _mm512_dpbf16_ps(sums[r][1], factor, second);
      }
    }
#pragma GCC unroll 8
    for (int64_t r = 0; r < kRows; ++r) {
      _mm512_storeu_ps(to + r * block.sums_row, sums[r][0]);
      _mm512_storeu_ps(to + r * block.sums_row + kWidth, sums[r][1]);
    }
  }
}

// Where sums are rounded and nothing else; null where they are not.
struct RoundedOutput {
  uint16_t* data = nullptr;
  int64_t row_stride = 0;

  explicit RoundedOutput(const ProductPart& part) {
    const MatmulProblem& problem = part.problem;
    const MatrixView& out = problem.out;
    if (out.dtype != ACL_BF16 || problem.addend || problem.alpha != 1) return;
    if (!problem.has_dense_rows(out)) return;
    data = part.run.data<uint16_t>(out.parameter) + batch_offset(problem, out, part.batch);
    row_stride = out.row_stride;
  }
};

struct PairBuffers {
  GrowingMemory a;  // a block's rows
  GrowingMemory b;
  GrowingMemory sums;
};

class PairedProduct {
 public:
  PairedProduct(const ProductPart& part, PairInstruction instruction)
      : part_(part),
        multiply_(instruction),
        out_(part),
        terms_(part.problem.k),
        a_{static_cast<const uint16_t*>(part.a.data) + part.row * part.a.row_stride,
           part.a.row_stride, part.a.column_stride},
        b_{static_cast<const uint16_t*>(part.b.data) + part.column * part.b.column_stride,
           part.b.column_stride, part.b.row_stride} {}

  void run() const {
    const int64_t deep = std::min(terms_, kTermsAtOnce);
    const int64_t padded = round_up(deep, kPairBlock);
    const int64_t fitting = kBytesOfB / 2 / padded / kPairBlock * kPairBlock;
    const int64_t columns =
        std::min(std::clamp(fitting, kPairBlock, kMaxColumns), round_up(part_.columns, kPairBlock));
    // Where all terms are packed at once, b is packed once and the sums of a block are finished
    // while they are near; otherwise b is packed again for each of the larger groups of rows, whose
    // sums wait.
    const int64_t rows =
        deep < terms_ ? std::min(kRowsWaiting, round_up(part_.rows, kPairBlock)) : kPairBlock;
    const ThreadScratch<PairBuffers> buffers;
    const int64_t sums_row = deep < terms_ ? columns : kPairBlock;
    const Packed packed{buffers->a.of<uint32_t>(kPairBlock * padded / 2),
                        buffers->b.of<uint32_t>(columns * padded / 2),
                        buffers->sums.of<float>(rows * sums_row), sums_row};
    for (int64_t column = 0; column < part_.columns; column += columns) {
      const int64_t count = std::min(columns, part_.columns - column);
      if (deep == terms_) pack_b(packed, column, count, 0, terms_);
      for (int64_t row = 0; row < part_.rows; row += rows) {
        run_rows(packed, row, std::min(rows, part_.rows - row), column, count, deep);
      }
    }
  }

 private:
  static constexpr int64_t kRowsWaiting = 512;

  struct Packed {
    uint32_t* a;
    uint32_t* b;
    float* sums;
    int64_t sums_row;
  };

  void pack_b(const Packed& packed, int64_t column, int64_t columns, int64_t term,
              int64_t terms) const {
    const Lines lines{b_.data + column * b_.line_stride + term * b_.term_stride, b_.line_stride,
                      b_.term_stride};
    pack_columns(lines, columns, terms, packed.b);
  }

  void run_rows(const Packed& packed, int64_t row, int64_t rows, int64_t column, int64_t columns,
                int64_t deep) const {
    if (deep == terms_) return run_block_row(packed, row, rows, column, columns);
    for (int64_t term = 0; term < terms_; term += deep) {
      const int64_t terms = std::min(deep, terms_ - term);
      pack_b(packed, column, columns, term, terms);
      for (int64_t i = 0; i < rows; i += kPairBlock) {
        PairBlock block = first_block(packed, row + i, std::min(kPairBlock, rows - i), term, terms);
        block.sums += i * packed.sums_row;
        multiply_(block, columns);
      }
    }
    finish(row, rows, column, columns, packed);
  }

  // All terms at once.
  void run_block_row(const Packed& packed, int64_t row, int64_t rows, int64_t column,
                     int64_t columns) const {
    PairBlock block = first_block(packed, row, rows, 0, terms_);
    for (int64_t j = 0; j < columns; j += kPairBlock) {
      multiply_(block, kPairBlock);
      finish(row, rows, column + j, std::min(kPairBlock, columns - j), packed);
      block.b += kPairBlock * block.pairs;
    }
  }

  PairBlock first_block(const Packed& packed, int64_t row, int64_t rows, int64_t term,
                        int64_t terms) const {
    const int64_t pairs = round_up(terms, kPairBlock) / 2;
    const Lines lines{a_.data + row * a_.line_stride + term * a_.term_stride, a_.line_stride,
                      a_.term_stride};
    const bool in_place = lines.term_stride == 1 && rows == kPairBlock && terms % kPairBlock == 0;
    if (!in_place) pack_rows(lines, rows, terms, pairs, packed.a);
    return {in_place ? static_cast<const void*>(lines.data) : packed.a,
            in_place ? lines.line_stride : 2 * pairs,
            packed.b,
            pairs,
            packed.sums,
            packed.sums_row,
            term > 0};
  }

  void finish(int64_t row, int64_t rows, int64_t column, int64_t columns,
              const Packed& packed) const {
    if (out_.data != nullptr) {
      uint16_t* const to = out_.data + (part_.row + row) * out_.row_stride + part_.column + column;
      return round_sums(packed.sums, packed.sums_row, rows, columns, to, out_.row_stride);
    }
    finish_sums(part_, part_.row + row, rows, part_.column + column, columns, packed.sums,
                packed.sums_row);
  }

  const ProductPart& part_;
  const PairMultiplier multiply_;
  const RoundedOutput out_;
  int64_t terms_;
  Lines a_, b_;
};

}  // namespace

bool multiplies_in_pairs(const MatmulProblem& problem) {
  // Smaller products are done before a block is packed; few terms leave most of a tile empty.
  constexpr int64_t kMinWork = 1 << 15;
  constexpr int64_t kMinTerms = 16;
  return problem.may_add_pairs && problem.dtype == ACL_BF16 && problem.k >= kMinTerms &&
         saturating_product({count_elements(problem.batch), problem.m, problem.n, problem.k}) >=
             kMinWork &&
         chosen_instruction_set() <= HWY_AVX3 && pairs_are_faster();
}

bool pairs_are_faster() {
  static const bool faster =
      pair_instruction() != PairInstruction::kNone && !multiplies_pairs_slowly();
  return faster;
}

PairInstruction pair_instruction() {
  static const PairInstruction found = instruction_of_processor();
  return found;
}

void multiply_in_pairs(const ProductPart& part, PairInstruction instruction) {
  PairedProduct(part, instruction).run();
}

PairMultiplier::PairMultiplier(PairInstruction instruction) : instruction_(instruction) {
  if (instruction == PairInstruction::kAmx) take_tiles();
}
PairMultiplier::~PairMultiplier() {
  if (instruction_ == PairInstruction::kAmx) release_tiles();
}

void PairMultiplier::operator()(PairBlock block, int64_t columns) const {
  const auto multiply =
      instruction_ == PairInstruction::kAmx ? multiply_by_tiles : multiply_by_vectors;
  for (int64_t j = 0; j < columns; j += kPairBlock) {
    multiply(block);
    block.b += kPairBlock * block.pairs;
    block.sums += kPairBlock;
  }
}

}  // namespace aclgrad::ops

#else

namespace aclgrad::ops {

bool multiplies_in_pairs(const MatmulProblem&) { return false; }
bool pairs_are_faster() { return false; }
PairInstruction pair_instruction() { return PairInstruction::kNone; }
void multiply_in_pairs(const ProductPart& part, PairInstruction) { multiply(part); }
PairMultiplier::PairMultiplier(PairInstruction instruction) : instruction_(instruction) {}
PairMultiplier::~PairMultiplier() = default;
void PairMultiplier::operator()(PairBlock, int64_t) const {}

}  // namespace aclgrad::ops

#endif
