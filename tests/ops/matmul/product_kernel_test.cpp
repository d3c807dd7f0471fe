// SPDX-License-Identifier: Apache-2.0
// Matrix products against their definition, term by term: every layout and dtype, sizes about those
// of tiles and panels, any number of threads, every instruction set. The bits must be those of one
// chain of fused multiply-adds.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "aclgrad_ext.h"
#include "ops/engine/dtype/formats.h"
#include "ops/engine/dtype/sixteen_bits.h"
#include "ops/matmul/matmul_kernel.h"
#include "ops/matmul/matmul_kernel_direct.h"
#include "ops/matmul/product_kernel.h"
#include "ops/matmul/product_kernel_pairs.h"
#include "tests/ops/engine/guarded_bytes.h"
#include "tests/ops/engine/targets.h"

namespace aclgrad::ops {
namespace {

using testing::for_each_target;
using testing::GuardedBytes;

enum class Lie { kRows, kColumns, kRowsApart, kEverySecond, kBackwards };
constexpr Lie kLies[] = {Lie::kRows, Lie::kColumns, Lie::kRowsApart, Lie::kEverySecond,
                         Lie::kBackwards};

// A matrix in memory of its own, which ends with its last element; aligned to nothing else.
struct Matrix {
  aclDataType dtype;
  int64_t rows, columns, row_stride, column_stride, reach, first;
  GuardedBytes bytes;

  Matrix(aclDataType type, int64_t height, int64_t width, Lie lie)
      : dtype(type),
        rows(height),
        columns(width),
        row_stride(lie == Lie::kColumns       ? 1
                   : lie == Lie::kRowsApart   ? columns + 5
                   : lie == Lie::kEverySecond ? 2 * columns
                                              : columns),
        column_stride(lie == Lie::kColumns       ? rows
                      : lie == Lie::kEverySecond ? 2
                                                 : 1),
        reach((rows - 1) * row_stride + (columns - 1) * column_stride),
        first(1),
        bytes(static_cast<size_t>(reach + 2) * element_size(type)) {
    if (lie == Lie::kBackwards) {
      row_stride = -row_stride;
      column_stride = -column_stride;
      first += reach;
    }
  }

  void* at(int64_t i, int64_t j) {
    return bytes.data() +
           static_cast<size_t>(first + i * row_stride + j * column_stride) * element_size(dtype);
  }
  double get(int64_t i, int64_t j) {
    double value = 0;
    load(at(i, j), dtype, 1, &value, 1);
    return value;
  }
  void set(int64_t i, int64_t j, double value) { store(&value, at(i, j), dtype, 1, 1); }
  void fill(unsigned seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<double> number;
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) set(i, j, number(generator));
    }
  }
  MatrixView view(size_t parameter) const {
    return {parameter, dtype, row_stride, column_stride, {}};
  }
};

enum class Addend { kNone, kMatrix, kRow, kScalar, kOutput };

struct Setting {
  aclDataType dtype = ACL_FLOAT;
  int64_t m = 1, k = 1, n = 1;
  Lie a = Lie::kRows, b = Lie::kRows, out = Lie::kRows;
  double alpha = 1, beta = 0;
  Addend addend = Addend::kNone;
};

class ProductRun {
 public:
  explicit ProductRun(const Setting& setting)
      : a(setting.dtype, setting.m, setting.k, setting.a),
        b(setting.dtype, setting.k, setting.n, setting.b),
        addend(setting.dtype, setting.m, setting.n, Lie::kRows),
        out(setting.dtype, setting.m, setting.n, setting.out),
        setting_(setting) {
    a.fill(1);
    b.fill(2);
    addend.fill(3);
    // What lies between the elements, and is not to be touched.
    std::memset(out.bytes.data(), 0x5a, out.bytes.size());
  }

  void run() {
    with_problem([](const MatmulProblem& problem, const Run& run) {
      const Plan plan = plan_matmul(problem);
      ASSERT_EQ(plan.workspace_size, 0u);
      ASSERT_EQ(plan.body(run), 0);
    });
  }

  // Some rows and columns at a time.
  void run_in_pairs(PairInstruction instruction, int64_t rows, int64_t columns) {
    with_problem([&](const MatmulProblem& problem, const Run& run) {
      const auto operand = [&](const MatrixView& view) {
        return ProductOperand{run.data(view.parameter), view.dtype, view.dtype, view.row_stride,
                              view.column_stride};
      };
      for (int64_t i = 0; i < problem.m; i += rows) {
        for (int64_t j = 0; j < problem.n; j += columns) {
          multiply_in_pairs({problem, run, 0, operand(problem.a), operand(problem.b), i,
                             std::min(rows, problem.m - i), j, std::min(columns, problem.n - j)},
                            instruction);
        }
      }
    });
  }

  // Element (i, j), added up as product_kernel_pairs.h says of AMX.
  double paired(int64_t i, int64_t j) {
    float sum = 0;
    for (int64_t first = 0; first < setting_.k; first += 32) {
      float of[2] = {0, 0};  // the terms with even and those with odd numbers
      for (int64_t l = first; l < std::min(setting_.k, first + 32); ++l) {
        of[l % 2] =
            std::fma(static_cast<float>(a.get(i, l)), static_cast<float>(b.get(l, j)), of[l % 2]);
      }
      sum += of[0] + of[1];
    }
    return finished(static_cast<double>(sum), i, j);
  }

 private:
  template <class Body>
  void with_problem(const Body& body) {
    MatmulProblem problem{
        {},          setting_.m, setting_.n,     setting_.k,    a.view(0),      b.view(1),
        out.view(2), {},         setting_.alpha, setting_.beta, setting_.dtype, false};
    if (setting_.addend != Addend::kNone) problem.addend = addend.view(3);
    if (setting_.addend == Addend::kRow) problem.addend->row_stride = 0;
    if (setting_.addend == Addend::kScalar) {
      problem.addend->row_stride = 0;
      problem.addend->column_stride = 0;
    }
    void* addresses[] = {a.at(0, 0), b.at(0, 0), out.at(0, 0), addend.at(0, 0)};
    if (setting_.addend == Addend::kOutput) {
      problem.addend = out.view(3);
      addresses[3] = out.at(0, 0);
      for (int64_t i = 0; i < setting_.m; ++i) {
        for (int64_t j = 0; j < setting_.n; ++j) out.set(i, j, addend.get(i, j));
      }
    }
    body(problem, Run(addresses, nullptr));
  }

 public:
  // Element (i, j), added up as product_kernel.h says.
  template <class T>
  double chained(int64_t i, int64_t j) {
    const std::vector<double>& row =
        lines(a_rows_, setting_.m, i, [&](int64_t l) { return a.get(i, l); });
    const std::vector<double>& column =
        lines(b_columns_, setting_.n, j, [&](int64_t l) { return b.get(l, j); });
    T total = 0;
    for (int64_t first = 0; first < setting_.k; first += kKc) {
      T sum = 0;
      for (int64_t l = first; l < std::min(setting_.k, first + kKc); ++l) {
        const auto term = static_cast<size_t>(l);
        sum = std::fma(static_cast<T>(row[term]), static_cast<T>(column[term]), sum);
      }
      total = first == 0 ? sum : total + sum;
    }
    return finished(static_cast<double>(total), i, j);
  }

  // In double, with the largest error that any order of addition has.
  void expect_near(int64_t i, int64_t j) {
    long double sum = 0;
    long double magnitude = 0;
    for (int64_t l = 0; l < setting_.k; ++l) {
      const long double term = static_cast<long double>(a.get(i, l)) * b.get(l, j);
      sum += term;
      magnitude += std::abs(term);
    }
    const long double epsilon = setting_.dtype == ACL_DOUBLE ? 0x1p-53L : 0x1p-24L;
    const long double bound =
        std::abs(setting_.alpha) * epsilon * static_cast<long double>(setting_.k + 2) * magnitude;
    const double low = finished(static_cast<double>(sum) - static_cast<double>(bound), i, j);
    const double high = finished(static_cast<double>(sum) + static_cast<double>(bound), i, j);
    EXPECT_LE(std::min(low, high), out.get(i, j)) << i << ' ' << j;
    EXPECT_GE(std::max(low, high), out.get(i, j)) << i << ' ' << j;
  }

  Matrix a, b, addend, out;

 private:
  // Rows and columns are read once.
  using Lines = std::vector<std::vector<double>>;
  template <class Read>
  const std::vector<double>& lines(Lines& all, int64_t count, int64_t index, const Read& read) {
    all.resize(static_cast<size_t>(count));
    std::vector<double>& line = all[static_cast<size_t>(index)];
    for (int64_t l = static_cast<int64_t>(line.size()); l < setting_.k; ++l)
      line.push_back(read(l));
    return line;
  }

  double finished(double sum, int64_t i, int64_t j) {
    double value = sum * setting_.alpha;
    if (setting_.addend != Addend::kNone) {
      const bool is_row = setting_.addend == Addend::kRow;
      const bool is_scalar = setting_.addend == Addend::kScalar;
      value += setting_.beta * addend.get(is_row || is_scalar ? 0 : i, is_scalar ? 0 : j);
    }
    double rounded = 0;  // has room for every dtype
    store(&value, &rounded, setting_.dtype, 1, 1);
    load(&rounded, setting_.dtype, 1, &value, 1);
    return value;
  }

  Setting setting_;
  Lines a_rows_, b_columns_;
};

// Where there is no instruction for a fused multiply-add, large products take seconds.
bool is_fast(int64_t target) { return target == HWY_AVX2 || target == HWY_AVX3; }

void expect_right(const Setting& setting) {
  SCOPED_TRACE(::testing::Message()
               << "dtype " << setting.dtype << ", " << setting.m << "x" << setting.k << "x"
               << setting.n << ", a " << static_cast<int>(setting.a) << ", b "
               << static_cast<int>(setting.b) << ", out " << static_cast<int>(setting.out));
  ProductRun product(setting);
  product.run();
  std::vector<unsigned char> rest = product.out.bytes.copy();
  for (int64_t i = 0; i < setting.m; ++i) {
    for (int64_t j = 0; j < setting.n; ++j) {
      const double expected = setting.dtype == ACL_DOUBLE ? product.chained<double>(i, j)
                                                          : product.chained<float>(i, j);
      ASSERT_EQ(product.out.get(i, j), expected) << i << ' ' << j;
      const auto place =
          static_cast<unsigned char*>(product.out.at(i, j)) - product.out.bytes.data();
      std::memset(rest.data() + place, 0x5a, element_size(setting.dtype));
    }
  }
  EXPECT_EQ(rest, std::vector<unsigned char>(rest.size(), 0x5a)) << "elements between";
}

struct Size {
  int64_t m, k, n;
};
// Small enough to be products of their own even where one extent is 1.
constexpr Size kSizes[] = {{1, 1, 1},     {1, 7, 3},    {32, 2, 16},   {32, 16, 16}, {32, 16, 1},
                           {2, 32, 16},   {16, 32, 1},  {5, 9, 17},    {13, 31, 33}, {14, 3, 32},
                           {15, 64, 31},  {29, 65, 48}, {64, 128, 32}, {13, 70, 61}, {7, 9, 113},
                           {19, 129, 32}, {31, 128, 1}, {33, 99, 1},   {1, 128, 20}};

TEST(Products, EveryLayoutOnEveryInstructionSet) {
  for_each_target([&](int64_t) {
    for (const Lie a : kLies) {
      for (const Lie b : kLies) {
        for (const auto& [m, k, n] : kSizes) {
          expect_right({.m = m, .k = k, .n = n, .a = a, .b = b});
        }
      }
    }
    for (const Lie out : kLies) expect_right({.m = 29, .k = 65, .n = 33, .out = out});
  });
}

TEST(Products, EveryDtypeOnEveryInstructionSet) {
  for_each_target([&](int64_t) {
    for (const aclDataType dtype : {ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
      for (const Lie a : {Lie::kRows, Lie::kColumns}) {
        for (const Lie b : {Lie::kRows, Lie::kColumns}) {
          for (const auto& [m, k, n] : kSizes) {
            expect_right({.dtype = dtype, .m = m, .k = k, .n = n, .a = a, .b = b});
          }
        }
      }
    }
  });
}

TEST(Products, SumsAreScaledAndAddedToBeforeTheyAreRounded) {
  for_each_target([&](int64_t) {
    for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
      for (const Lie out : {Lie::kRows, Lie::kColumns}) {
        expect_right({.dtype = dtype,
                      .m = 29,
                      .k = 65,
                      .n = 33,
                      .out = out,
                      .alpha = 0.75,
                      .beta = -1.5,
                      .addend = Addend::kMatrix});
      }
    }
  });
}

// Added by the tiles themselves, unless it lies where they collect their sums.
TEST(Products, AddendsThatAreNotScaled) {
  for_each_target([&](int64_t target) {
    for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE}) {
      for (const Addend addend :
           {Addend::kMatrix, Addend::kRow, Addend::kScalar, Addend::kOutput}) {
        for (const Size& size : {Size{29, 65, 33}, Size{20, 40, 29}, Size{32, 16, 16},
                                 Size{32, 16, 1}, Size{19, 32, 1}, Size{1, 20, 24}}) {
          Setting setting{
              .dtype = dtype, .m = size.m, .k = size.k, .n = size.n, .beta = 1, .addend = addend};
          for (const Lie out : {Lie::kRows, Lie::kRowsApart, Lie::kColumns}) {
            setting.out = out;
            expect_right(setting);
          }
        }
      }
    }
    if (!is_fast(target)) return;
    for (const Addend addend : {Addend::kMatrix, Addend::kRow, Addend::kOutput}) {
      expect_right({.m = 400, .k = 520, .n = 600, .beta = 1, .addend = addend});
    }
  });
}

// Terms, rows and columns beyond one piece, group and panel; rows that lie pages apart.
TEST(Products, LargeOnes) {
  for_each_target([&](int64_t target) {
    if (!is_fast(target)) return;
    for (const Lie a : {Lie::kRows, Lie::kColumns, Lie::kEverySecond}) {
      for (const Lie b : {Lie::kRows, Lie::kColumns, Lie::kEverySecond}) {
        expect_right({.m = 100, .k = 1024, .n = 300, .a = a, .b = b});
      }
    }
    // Columns of a that are read where they lie, or copied, as they share sets of the cache or lie
    // pages apart.
    for (const int64_t m : {130, 128, 1030}) {
      expect_right({.m = m, .k = 300, .n = 260, .a = Lie::kColumns});
    }
    expect_right({.m = 3, .k = 700, .n = 600});
    expect_right({.dtype = ACL_BF16, .m = 70, .k = 513, .n = 530, .a = Lie::kColumns});
    expect_right({.dtype = ACL_DOUBLE, .m = 400, .k = 300, .n = 40, .b = Lie::kColumns});
  });
}

// The processor's own instructions for BFLOAT16: bits follow from the terms alone, wherever the
// output is cut and however the operands lie.
TEST(Products, InPairsHaveTheBitsOfTheirInstruction) {
  // A processor with AMX has the other, too.
  std::vector<PairInstruction> instructions;
  if (pair_instruction() == PairInstruction::kAmx) instructions.push_back(PairInstruction::kAmx);
  if (pair_instruction() != PairInstruction::kNone) {
    instructions.push_back(PairInstruction::kAvx512Bf16);
  }
  for (const PairInstruction instruction : instructions) {
    for (const auto& [m, k, n] : {Size{32, 32, 32}, Size{33, 70, 47}, Size{1, 16, 1},
                                  Size{5, 4131, 40}, Size{70, 9000, 17}, Size{64, 100, 1100}}) {
      for (const Lie a : kLies) {
        for (const Lie b : kLies) {
          const bool is_large = m * k * n > 1 << 20;
          if (is_large && (a != Lie::kRows || b != Lie::kRows) && (a != Lie::kColumns)) continue;
          SCOPED_TRACE(::testing::Message()
                       << m << "x" << k << "x" << n << ", a " << static_cast<int>(a) << ", b "
                       << static_cast<int>(b));
          Setting setting{.dtype = ACL_BF16, .m = m, .k = k, .n = n, .a = a, .b = b};
          // Sums that are rounded and nothing else have a way of their own.
          if (b != Lie::kRowsApart) {
            setting.alpha = 0.75;
            setting.beta = -1.5;
            setting.addend = Addend::kMatrix;
          }
          ProductRun cut(setting);
          setting.out = a;
          ProductRun whole(setting);
          whole.run_in_pairs(instruction, m, n);
          cut.run_in_pairs(instruction, 17, 40);
          for (int64_t i = 0; i < m; i += is_large ? 13 : 1) {
            for (int64_t j = 0; j < n; j += is_large ? 7 : 1) {
              ASSERT_EQ(cut.out.get(i, j), whole.out.get(i, j)) << i << ' ' << j;
              if (instruction == PairInstruction::kAmx) {
                ASSERT_EQ(whole.out.get(i, j), whole.paired(i, j)) << i << ' ' << j;
              } else {
                whole.expect_near(i, j);
              }
            }
          }
        }
      }
    }
  }
}

// Numbers between two of BFLOAT16, and NaN with any bits; none is subnormal, as no sum is.
TEST(Products, InPairsRoundSumsToTheNearest) {
  if (pair_instruction() == PairInstruction::kNone) return;
  std::vector<float> sums;
  for (uint32_t upper = 0; upper < 0x10000; ++upper) {
    const bool subnormal = (upper & 0x7f80) == 0 && upper << 17 != 0;
    for (const uint32_t lower : {0x0000U, 0x0001U, 0x7fffU, 0x8000U, 0x8001U, 0xffffU}) {
      if (subnormal || ((upper & 0x7f80) == 0 && lower != 0)) continue;
      sums.push_back(std::bit_cast<float>(upper << 16 | lower));
    }
  }
  const auto count = static_cast<int64_t>(sums.size());
  const auto expect_nearest = [&](int64_t rows, int64_t columns) {
    std::vector<uint16_t> rounded(sums.size(), 0x5a5a);
    round_sums(sums.data(), columns, rows, columns, rounded.data(), columns);
    for (int64_t i = 0; i < rows * columns; ++i) {
      const auto at = static_cast<size_t>(i);
      const double sum = static_cast<double>(sums[at]);
      ASSERT_EQ(rounded[at], double_to_bfloat16(sum)) << std::bit_cast<uint32_t>(sums[at]);
    }
  };
  expect_nearest(1, count);
  expect_nearest(count / 7, 7);  // a part of a vector
}

// Whether it is used depends on the work and the terms, and never without leave.
TEST(Products, InPairsWhereTheProcessorCanAndTheCallerMay) {
  const auto would = [](aclDataType dtype, int64_t m, int64_t k, int64_t n, bool may) {
    const MatrixView view{0, dtype, 1, 1, {}};
    MatmulProblem problem{{}, m, n, k, view, view, view, {}, 1, 0, dtype, false};
    problem.may_add_pairs = may;
    return multiplies_in_pairs(problem);
  };
  EXPECT_EQ(would(ACL_BF16, 32, 32, 32, true), pairs_are_faster());
  EXPECT_FALSE(would(ACL_BF16, 32, 32, 32, false));
  EXPECT_FALSE(would(ACL_BF16, 32, 32, 31, true));
  EXPECT_FALSE(would(ACL_BF16, 1024, 15, 1024, true));
  EXPECT_FALSE(would(ACL_FLOAT16, 32, 32, 32, true));
  EXPECT_FALSE(would(ACL_FLOAT, 32, 32, 32, true));
}

// Some are too narrow for a grid of so many parts.
TEST(Products, NumberOfThreadsChangesNoBit) {
  for (const Size& size :
       {Size{300, 130, 310}, Size{1000, 40, 33}, Size{20, 40, 2000}, Size{40, 1024, 40},
        Size{32, 1024, 32}, Size{64, 4096, 64}, Size{20, 4096, 33}}) {
    for (const Lie b : {Lie::kRows, Lie::kColumns}) {
      std::vector<unsigned char> expected;
      for (const int32_t threads : {1, 2, 3, 4, 5, 6, 8, 16}) {
        aclgradSetNumThreads(threads);
        ProductRun product({.m = size.m, .k = size.k, .n = size.n, .b = b});
        product.run();
        if (expected.empty()) expected = product.out.bytes.copy();
        EXPECT_EQ(product.out.bytes.copy(), expected) << threads << " threads, columns " << size.n;
      }
    }
  }
  aclgradSetNumThreads(0);
}

// In small products, and in those of tiles.
TEST(Products, TermsWithoutFiniteValueGoThrough) {
  for_each_target([&](int64_t) {
    for (const auto& [m, k, n] : {Size{7, 12, 19}, Size{20, 12, 19}, Size{40, 40, 40}}) {
      ProductRun product({.m = m, .k = k, .n = n});
      product.a.set(3, 5, INFINITY);
      product.b.set(7, 2, NAN);
      product.run();
      for (int64_t i = 0; i < m; ++i) EXPECT_TRUE(std::isnan(product.out.get(i, 2))) << i;
      for (int64_t j = 0; j < n; ++j) EXPECT_FALSE(std::isfinite(product.out.get(3, j))) << j;
      EXPECT_TRUE(std::isfinite(product.out.get(4, 18)));
    }
  });
}

// Of a view with strides of 0, which can be: the number of multiplications wraps to 0.
TEST(Products, HugeOnesAreNotTakenForSmallOnes) {
  const MatrixView repeated{0, ACL_FLOAT, 0, 0, {}};
  MatmulProblem problem{{}, 16, 16, int64_t{1} << 56, repeated, repeated, {2, ACL_FLOAT, 16, 1, {}},
                        {}, 1,  0,  ACL_FLOAT};
  EXPECT_FALSE(is_small(problem));
  const Plan plan = plan_matmul(problem);
  EXPECT_TRUE(plan.body);
  EXPECT_FALSE(plan.tiling) << "b does not fit the caches";
  problem.k = 16;
  EXPECT_TRUE(is_small(problem));
}

}  // namespace
}  // namespace aclgrad::ops
