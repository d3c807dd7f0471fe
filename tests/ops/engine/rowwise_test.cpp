// SPDX-License-Identifier: Apache-2.0
// The kernels that work on native rows and vectors (sums, products with a vector, log-softmax):
// right, and the same bits on every instruction set and for every way to ask.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "ops/engine/sums.h"
#include "ops/normalization/softmax_kernel.h"
#include "tests/ops/engine/native_numbers.h"
#include "tests/ops/engine/targets.h"

namespace aclgrad::ops {
namespace {

using testing::for_each_target;

constexpr aclDataType kDtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE};

// The order that tree_sum.h promises, term by term.
double plain_sum(const Numbers& numbers, size_t first, size_t stride, size_t terms,
                 const double* factors = nullptr) {
  std::vector<double> values(terms);
  for (size_t i = 0; i < terms; ++i) {
    values[i] = numbers.get(first + i * stride) * (factors == nullptr ? 1 : factors[i]);
  }
  AccumulatorSum<double> sum;
  sum.add(values.data(), terms);
  return sum.total();
}

TEST(Rowwise, SumsOfLinesAndColumnsFollowTheTree) {
  constexpr size_t kLines = 13;
  for (const aclDataType dtype : kDtypes) {
    for (const size_t terms : {1u, 2u, 7u, 8u, 9u, 31u, 64u, 300u, 1000u}) {
      const Numbers numbers = Numbers::random(dtype, kLines * terms, 1, -3, 5);
      const Numbers factors = Numbers::random(ACL_DOUBLE, terms, 2, -2, 2);
      const auto* weights = reinterpret_cast<const double*>(factors.bytes.data());
      for_each_target([&](int64_t) {
        for (const double* with : {static_cast<const double*>(nullptr), weights}) {
          double sums[kLines];
          sum_lines(numbers.bytes.data(), dtype, static_cast<int64_t>(terms), kLines, terms, sums,
                    with);
          for (size_t i = 0; i < kLines; ++i) {
            ASSERT_EQ(sums[i], plain_sum(numbers, i * terms, 1, terms, with)) << dtype << terms;
          }
          ColumnSums columns(kLines);  // in two steps, the same memory as `terms` rows
          const size_t some = terms / 3;
          const size_t skip = some * kLines * element_size(dtype);
          columns.add(numbers.bytes.data(), dtype, kLines, some, with);
          columns.add(numbers.bytes.data() + skip, dtype, kLines, terms - some,
                      with == nullptr ? with : with + some);
          columns.finish(sums);
          for (size_t i = 0; i < kLines; ++i) {
            ASSERT_EQ(sums[i], plain_sum(numbers, i, kLines, terms, with)) << dtype << terms;
          }
        }
      });
    }
  }
}

// Columns of a wider matrix: few and many of them, and more rows than are added in registers.
TEST(Rowwise, SumsOfColumnsFollowTheTree) {
  constexpr size_t kWidth = 600;
  constexpr size_t kRows = 150;
  for (const aclDataType dtype : kDtypes) {
    const Numbers numbers = Numbers::random(dtype, kWidth * kRows, 6, -3, 5);
    const Numbers factors = Numbers::random(ACL_DOUBLE, kRows, 7, -2, 2);
    const auto* weights = reinterpret_cast<const double*>(factors.bytes.data());
    for_each_target([&](int64_t) {
      for (const double* with : {static_cast<const double*>(nullptr), weights}) {
        for (const size_t rows : {1u, 3u, 8u, 21u, 150u}) {
          for (const size_t columns : {1u, 5u, 8u, 16u, 31u, 64u, 65u, 600u}) {
            std::vector<double> sums(columns + 1, 0.5);
            sum_columns(numbers.bytes.data(), dtype, kWidth, rows, columns, sums.data(), with);
            for (size_t j = 0; j < columns; ++j) {
              ASSERT_EQ(sums[j], plain_sum(numbers, j, kWidth, rows, with))
                  << dtype << ' ' << rows << ' ' << columns;
            }
            ASSERT_EQ(sums[columns], 0.5) << "behind the sums";
          }
        }
      }
    });
  }
}

TEST(Rowwise, SumsInStepsAreThoseOfTheWhole) {
  constexpr size_t kCount = 3 * kSumChunk + 5;
  const Numbers a = Numbers::random(ACL_FLOAT, kCount, 3, -1, 1);
  const Numbers zeros(ACL_FLOAT, kCount);
  for_each_target([&](int64_t) {
    double chunks[4];
    sum_dense_chunks(a.bytes.data(), ACL_FLOAT, kCount, chunks);
    for (size_t k = 0; k < 4; ++k) {
      const size_t terms = k < 3 ? kSumChunk : 5;
      EXPECT_EQ(chunks[k], plain_sum(a, k * kSumChunk, 1, terms));
    }
    RealSum sum;
    sum.add(a.bytes.data(), ACL_FLOAT, 16);
    sum.add(a.bytes.data() + 16 * sizeof(float), ACL_FLOAT, 101);
    EXPECT_EQ(sum.total(), plain_sum(a, 0, 1, 117));
    RealSum squares;
    squares.add_squared_differences(a.bytes.data(), zeros.bytes.data(), ACL_FLOAT, 117);
    double expected = 0;
    for (size_t i = 0; i < 117; ++i) expected += a.get(i) * a.get(i);
    EXPECT_NEAR(squares.total(), expected, 1e-13 * expected);
  });
}

TEST(Rowwise, MinusZerosAddUpToMinusZero) {
  const std::vector<float> zeros(11, -0.0f);
  for_each_target([&](int64_t) {
    double sum = 1;
    sum_lines(zeros.data(), ACL_FLOAT, 0, 1, zeros.size(), &sum);
    EXPECT_TRUE(sum == 0 && std::signbit(sum));
    sum_columns(zeros.data(), ACL_FLOAT, 1, zeros.size(), 1, &sum);
    EXPECT_TRUE(sum == 0 && std::signbit(sum));
  });
}

// Conversions that know only numbers would read an infinite FLOAT16 as 65536.
TEST(Rowwise, InfinityAndNanGoThroughSums) {
  constexpr size_t kTerms = 20;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const aclDataType dtype : kDtypes) {
    for (const double special : {infinity, -infinity, std::nan("")}) {
      Numbers numbers(dtype, kTerms);
      for (size_t i = 0; i < kTerms; ++i) numbers.set(i, 1);
      numbers.set(3, special);
      for_each_target([&](int64_t) {
        double sum = 0;
        sum_lines(numbers.bytes.data(), dtype, kTerms, 1, kTerms, &sum);
        EXPECT_TRUE(std::isnan(special) ? std::isnan(sum) : sum == special)
            << sum << " for " << special << ", dtype " << dtype;
        sum_columns(numbers.bytes.data(), dtype, 1, kTerms, 1, &sum);
        EXPECT_TRUE(std::isnan(special) ? std::isnan(sum) : sum == special)
            << sum << " for " << special << ", dtype " << dtype;
      });
    }
  }
}

// Where float would overflow or lose digits: far from 0, and with huge and tiny sums.
TEST(Rowwise, LogSoftmaxBackwardOfBf16BeyondFloat) {
  constexpr size_t kLength = 24;
  for (const double scale : {1e-36, 1e-25, 1e-3, 1.0, 1e20, 1e37}) {
    const Numbers g = Numbers::random(ACL_BF16, kLength, 8, -scale, 2 * scale);
    Numbers y = Numbers::random(ACL_BF16, kLength, 9, -9, 0);
    const double ends[] = {-700, -100, -88, -60, -44, -43.75, 0, 3, 43.75, 60, 85};
    for (size_t i = 0; i < std::size(ends); ++i) y.set(2 * i, ends[i]);
    long double sum = 0;
    for (size_t i = 0; i < kLength; ++i) sum += g.get(i);
    for_each_target([&](int64_t) {
      Numbers gradient = g;
      Numbers slope(ACL_BF16, kLength);
      log_softmax_backward_rows(
          {ACL_BF16,
           1,
           kLength,
           {{{gradient.bytes.data(), 0}, {y.bytes.data(), 0}, {slope.bytes.data(), 0}}}});
      for (size_t i = 0; i < kLength; ++i) {
        const long double share = std::exp(static_cast<long double>(y.get(i))) * sum;
        const long double expected = g.get(i) - share;
        if (std::abs(expected) > 3.39e38L) {
          EXPECT_EQ(std::abs(slope.get(i)), std::numeric_limits<double>::infinity());
          continue;
        }
        const long double size = std::abs(static_cast<long double>(g.get(i))) + std::abs(share);
        EXPECT_LE(std::abs(slope.get(i) - expected), 1.002L * 0x1p-8L * size + 0x1p-134L)
            << scale << " at " << y.get(i);
      }
    });
  }
}

TEST(Rowwise, LogSoftmaxAtTheEndsOfItsRange) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for_each_target([&](int64_t) {
    std::vector<float> x = {-kInfinity, 3, -200, -kInfinity, -kInfinity, -kInfinity,
                            kInfinity,  0, 1,    NAN,        0,          1};
    log_softmax_rows({ACL_FLOAT, 4, 3, {{{x.data(), 3}, {x.data(), 3}}}});
    EXPECT_EQ(x[0], -kInfinity);
    EXPECT_EQ(x[1], 0);
    EXPECT_EQ(x[2], -203);
    for (size_t i = 3; i < x.size(); ++i) EXPECT_TRUE(std::isnan(x[i])) << i;
    std::vector<float> g = {1, 2, NAN, 4};
    std::vector<float> y = {-kInfinity, 0, -1, -1000};
    log_softmax_backward_rows({ACL_FLOAT, 2, 2, {{{g.data(), 2}, {y.data(), 2}, {g.data(), 2}}}});
    EXPECT_EQ(g[0], 1);
    EXPECT_EQ(g[1], -1);
    EXPECT_TRUE(std::isnan(g[2]) && std::isnan(g[3]));
  });
}

}  // namespace
}  // namespace aclgrad::ops
