// SPDX-License-Identifier: Apache-2.0
// Inverses, determinants, triangles, QR: what their contracts' samples do not show, and values that
// NumPy gave.
#include <algorithm>
#include <cmath>
#include <random>

#include "aclnnop/aclnn_inverse.h"
#include "aclnnop/aclnn_linalg_cross.h"
#include "aclnnop/aclnn_linalg_qr.h"
#include "aclnnop/aclnn_slogdet.h"
#include "aclnnop/aclnn_triangular_solve.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing::linalg {
namespace {

class Matrices : public AclTest {
 protected:
  void expect_near(const Array& actual, const Values& expected, long double tolerance) {
    ASSERT_EQ(actual.values().size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_LE(std::abs(actual.values()[i] - expected[i]), tolerance) << "element " << i;
    }
  }
};

Array random_matrices(Shape shape) {
  std::mt19937_64 generator(5);
  std::normal_distribution<double> normal;
  Array all(ACL_DOUBLE, std::move(shape));
  for (int64_t i = 0; i < all.count(); ++i) all.set(i, normal(generator));
  return all;
}

// a[n, k] b[k, m]
Values product(const Values& a, const Values& b, size_t n, size_t k, size_t m) {
  Values c(n * m);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < m; ++j) {
      for (size_t l = 0; l < k; ++l) c[i * m + j] += a[i * k + l] * b[l * m + j];
    }
  }
  return c;
}
Values transposed(const Values& a, size_t rows, size_t columns) {
  Values t(a.size());
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) t[j * rows + i] = a[i * columns + j];
  }
  return t;
}
Values identity(size_t n) {
  Values one(n * n);
  for (size_t i = 0; i < n; ++i) one[i * n + i] = 1;
  return one;
}

TEST_F(Matrices, AreDecomposedWithTheSignsOfNumPy) {
  const Array a(ACL_DOUBLE, {4, 3}, {1, 2, 3, -4, 5, 6, 7, 8, -9, 2, 0, 1});
  Array q(ACL_DOUBLE, {4, 3}), r(ACL_DOUBLE, {3, 3});
  ASSERT_TRUE(runs(PHASES(aclnnLinalgQr), a, int64_t{0}, q, r));
  expect_near(
      q,
      {-0.11952286093343933L, -0.1712846951368139L, 0.7310137751706152L, 0.47809144373375745L,
       -0.8429893819478481L, 0.08600162060830768L, -0.8366600265340756L, -0.49370294480611027L,
       -0.23650445667284603L, -0.23904572186687872L, 0.1276238904940965L, 0.634261951986269L},
      1e-15L);
  expect_near(r,
              {-8.366600265340756L, -4.541868715470696L, 9.800874596542029L, 0, -8.507139858461747L,
               -1.000839983348441L, 0, 0, 5.471853111203573L},
              8e-15L);
  Array whole(ACL_DOUBLE, {4, 4}), under(ACL_DOUBLE, {4, 3});
  ASSERT_TRUE(runs(PHASES(aclnnLinalgQr), a, int64_t{1}, whole, under));
  const Values last = {-0.649611190972708L, 0.2310869849310029L, 0.01797343216130021L,
                       0.7240725527838088L};
  for (size_t i = 0; i < 4; ++i) EXPECT_LE(std::abs(whole.values()[4 * i + 3] - last[i]), 1e-15L);
}

// What has only zeros below it stays, whatever its sign is.
TEST_F(Matrices, ThatAreTrianglesAreTheirOwnR) {
  const Array a(ACL_FLOAT, {2, 2}, {3, 1, 0, -2}), one(ACL_FLOAT, {1, 1}, {-3});
  Array q(ACL_FLOAT, {2, 2}), r(ACL_FLOAT, {2, 2}), small(ACL_FLOAT, {1, 1});
  ASSERT_TRUE(runs(PHASES(aclnnLinalgQr), a, int64_t{0}, q, r));
  EXPECT_EQ(q.values(), identity(2));
  EXPECT_EQ(r.values(), a.values());
  Array none(ACL_FLOAT, {0});
  ASSERT_TRUE(runs(PHASES(aclnnLinalgQr), one, int64_t{2}, none, small));
  EXPECT_EQ(small.get(0), -3);
}

TEST_F(Matrices, AreTheProductsOfOrthogonalColumnsAndATriangle) {
  for (const auto& [rows, columns] : {std::pair<size_t, size_t>{40, 40}, {50, 12}, {12, 50}}) {
    const Array a = random_matrices({static_cast<int64_t>(rows), static_cast<int64_t>(columns)});
    const size_t between = std::min(rows, columns);
    Array q(ACL_DOUBLE, {static_cast<int64_t>(rows), static_cast<int64_t>(between)});
    Array r(ACL_DOUBLE, {static_cast<int64_t>(between), static_cast<int64_t>(columns)});
    ASSERT_TRUE(runs(PHASES(aclnnLinalgQr), a, int64_t{0}, q, r));
    const Values back = product(q.values(), r.values(), rows, between, columns);
    expect_near(a, back, 1e-13L);
    const Values squares =
        product(transposed(q.values(), rows, between), q.values(), between, rows, between);
    const Values one = identity(between);
    for (size_t i = 0; i < one.size(); ++i) EXPECT_LE(std::abs(squares[i] - one[i]), 1e-14L);
    for (size_t i = 0; i < between; ++i) {
      for (size_t j = 0; j < std::min(i, columns); ++j) EXPECT_EQ(r.values()[i * columns + j], 0);
    }
  }
}

TEST_F(Matrices, OfLowRankAndOfExtremeNumbersAreDecomposedToo) {
  const Array a(ACL_DOUBLE, {2, 2}, {1, 2, 2, 4});
  const Array tiny(ACL_DOUBLE, {2, 1}, {3e-200L, -4e-200L}),
      huge(ACL_DOUBLE, {2, 1}, {3e200L, 4e200L});
  Array q(ACL_DOUBLE, {2, 2}), r(ACL_DOUBLE, {2, 2}), column(ACL_DOUBLE, {2, 1}),
      length(ACL_DOUBLE, {1, 1});
  ASSERT_TRUE(runs(PHASES(aclnnLinalgQr), a, int64_t{0}, q, r));
  expect_near(a, product(q.values(), r.values(), 2, 2, 2), 1e-14L);
  ASSERT_TRUE(runs(PHASES(aclnnLinalgQr), tiny, int64_t{0}, column, length));
  EXPECT_LE(std::abs(length.get(0) / -5e-200L - 1), 1e-15L);
  ASSERT_TRUE(runs(PHASES(aclnnLinalgQr), huge, int64_t{0}, column, length));
  EXPECT_LE(std::abs(length.get(0) / -5e200L - 1), 1e-15L);
}

TEST_F(Matrices, TimesTheirInverseAreOne) {
  const Array a = random_matrices({3, 30, 30});
  Array inverse(ACL_DOUBLE, {3, 30, 30});
  ASSERT_TRUE(runs(PHASES(aclnnInverse), a, inverse));
  for (size_t k = 0; k < 3; ++k) {
    const auto nth = [&](const Array& all) {
      const Values values = all.values();
      return Values(values.begin() + static_cast<ptrdiff_t>(900 * k),
                    values.begin() + static_cast<ptrdiff_t>(900 * (k + 1)));
    };
    const Values one = identity(30), found = product(nth(a), nth(inverse), 30, 30, 30);
    for (size_t i = 0; i < one.size(); ++i) EXPECT_LE(std::abs(found[i] - one[i]), 1e-11L);
  }
}

TEST_F(Matrices, HaveTheInverseOfNumPyOrNone) {
  const Array a(ACL_FLOAT, {3, 3}, {2, -1, 0, 0, 3, 1, 4, 0, -2});
  Array out(ACL_FLOAT, {3, 3});
  ASSERT_TRUE(runs(PHASES(aclnnInverse), a, out));
  EXPECT_EQ(out.values(),
            (Values{0.375L, 0.125L, 0.0625L, -0.25L, 0.25L, 0.125L, 0.75L, 0.25L, -0.375L}));
  const Array singular(ACL_FLOAT, {2, 2, 2}, {1, 2, 3, 4, 1, 2, 2, 4});
  Array none(ACL_FLOAT, {2, 2, 2});
  EXPECT_NE(call(PHASES(aclnnInverse), singular, none), 0);
  EXPECT_THAT(recent_message(), ::testing::HasSubstr("matrix 1 of self is singular"));
}

TEST_F(Matrices, MayBeOverwrittenByTheirInverses) {
  const Array a(ACL_DOUBLE, {2, 2, 2}, {0, 2, 4, 0, 1, 0, 0, 8});
  ASSERT_TRUE(runs(PHASES(aclnnInverse), a, a));
  EXPECT_EQ(a.values(), (Values{0, 0.25L, 0.5L, 0, 1, 0, 0, 0.125L}));
}

TEST_F(Matrices, ThatAreSingularHaveADeterminantOfZero) {
  const Array a(ACL_FLOAT, {3, 2, 2}, {1, 2, 2, 4, 0, 0, 0, 0, 1, kNaN, 2, 3});
  Array sign(ACL_FLOAT, {3}), log(ACL_FLOAT, {3});
  ASSERT_TRUE(runs(PHASES(aclnnSlogdet), a, sign, log));
  EXPECT_EQ(sign.get(0), 0);
  EXPECT_EQ(log.get(0), -kInfinity);
  EXPECT_EQ(sign.get(1), 0);
  EXPECT_EQ(log.get(1), -kInfinity);
  EXPECT_TRUE(std::isnan(sign.get(2)));
  EXPECT_TRUE(std::isnan(log.get(2)));
  const Array three(ACL_DOUBLE, {3, 3}, {2, -1, 0, 0, 3, 1, 4, 0, -2});
  Array one(ACL_DOUBLE, {1}), of_three(ACL_DOUBLE, {});
  ASSERT_TRUE(runs(PHASES(aclnnSlogdet), three, one, of_three));
  EXPECT_EQ(one.get(0), -1);
  EXPECT_LE(std::abs(of_three.get(0) - 2.772588722239781L), 1e-15L);
}

TEST_F(Matrices, AreReadOnOneSideOfTheirDiagonal) {
  const Array b(ACL_FLOAT, {2, 1}, {4, 9});
  const Array lower(ACL_FLOAT, {2, 2}, {2, kNaN, 1, 7}), upper(ACL_FLOAT, {2, 2}, {2, 1, kNaN, 3});
  const Array unit(ACL_FLOAT, {2, 2}, {kNaN, kNaN, 5, kNaN}),
      zero(ACL_FLOAT, {2, 2}, {0, kNaN, 1, 1});
  Array x(ACL_FLOAT, {2, 1}), m(ACL_FLOAT, {2, 2});
  ASSERT_TRUE(runs(PHASES(aclnnTriangularSolve), b, lower, false, false, false, x, m));
  EXPECT_EQ(x.values(), (Values{2, 1}));
  ASSERT_TRUE(runs(PHASES(aclnnTriangularSolve), b, upper, true, false, false, x, m));
  EXPECT_EQ(x.values(), (Values{0.5L, 3}));
  ASSERT_TRUE(runs(PHASES(aclnnTriangularSolve), b, unit, false, false, true, x, m));
  EXPECT_EQ(x.values(), (Values{4, -11}));
  ASSERT_TRUE(runs(PHASES(aclnnTriangularSolve), b, zero, false, false, false, x, m));
  EXPECT_EQ(x.get(0), kInfinity);
  EXPECT_EQ(x.get(1), -kInfinity);
}

TEST_F(Matrices, OfVectorsHaveTheCrossProductsOfNumPy) {
  const Array a(ACL_FLOAT, {2, 3}, {1, 2, 3, -1, 0.5L, 2}), b(ACL_FLOAT, {3}, {4, -5, 6});
  Array out(ACL_FLOAT, {2, 3});
  ASSERT_TRUE(runs(PHASES(aclnnLinalgCross), a, b, int64_t{-1}, out));
  EXPECT_EQ(out.values(), (Values{27, 6, -13, 13, 14, 3}));
  ASSERT_TRUE(runs(PHASES(aclnnLinalgCross), a, b, int64_t{1}, a));
  EXPECT_EQ(a.values(), out.values());
}

}  // namespace
}  // namespace aclgrad::testing::linalg
