// SPDX-License-Identifier: Apache-2.0
#include "aclnnop/aclnn_matmul.h"

#include <tuple>

#include "aclnnop/aclnn_mm.h"
#include "tests/ops/operators/training/support.h"

namespace aclgrad::testing {
namespace {

class MatmulTest : public AclTest {
 protected:
  aclnnStatus matmul(const Array& a, const Array& b, Array& out, int8_t type = 0) {
    return call(aclnnMatmulGetWorkspaceSize, aclnnMatmul, a.tensor(), b.tensor(), out.tensor(),
                type);
  }
  aclnnStatus mm(const Array& a, const Array& b, Array& out, int8_t type = 0) {
    return call(aclnnMmGetWorkspaceSize, aclnnMm, a.tensor(), b.tensor(), out.tensor(), type);
  }
};

// Sum and sum of magnitudes of one element of a[m,k] b[k,n].
struct Dot {
  long double sum = 0;
  long double magnitude = 0;
};

Dot dot(const Values& a, const Values& b, int64_t row, int64_t column, int64_t k, int64_t n) {
  Dot result;
  for (int64_t i = 0; i < k; ++i) {
    const long double term =
        a[static_cast<size_t>(row * k + i)] * b[static_cast<size_t>(i * n + column)];
    result.sum += term;
    result.magnitude += std::abs(term);
  }
  return result;
}

// What rounding may do to a dot product: one rounding of the result to the output's dtype, and sums
// in FLOAT or DOUBLE.
long double tolerance(const Dot& expected, int64_t k, aclDataType out, aclDataType sums) {
  const long double eps = std::ldexp(1.0L, 1 - float_format(sums).precision);
  return 0.51L * ulp_at(expected.sum, out) +
         eps * static_cast<long double>(k + 2) * expected.magnitude;
}

void expect_product(const Array& a, const Array& b, const Array& out, int64_t m, int64_t k,
                    int64_t n, aclDataType sums = ACL_FLOAT) {
  const Values left = a.values();
  const Values right = b.values();
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const Dot expected = dot(left, right, i, j, k, n);
      ASSERT_TRUE(
          is_near(out.get(i * n + j), expected.sum, tolerance(expected, k, out.dtype(), sums)))
          << "row " << i << " column " << j;
    }
  }
}

using Size = std::tuple<int64_t, int64_t, int64_t>;
const std::vector<Size> kSizes = {{1, 1, 1},    {2, 3, 4},     {7, 5, 1},      {1, 9, 33},
                                  {32, 16, 16}, {65, 33, 129}, {130, 70, 300}, {3, 700, 300}};

TEST_F(MatmulTest, MultipliesEveryDtypeAndSize) {
  for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    for (const auto& [m, k, n] : kSizes) {
      SCOPED_TRACE(::testing::Message() << dtype << ": " << m << "x" << k << "x" << n);
      const Array a = random_array(dtype, {m, k}, LayoutKind::kContiguous, 1);
      const Array b = random_array(dtype, {k, n}, LayoutKind::kContiguous, 2);
      Array out(dtype, {m, n});
      ASSERT_EQ(matmul(a, b, out), 0) << recent_message();
      expect_product(a, b, out, m, k, n);
    }
  }
}

TEST_F(MatmulTest, ReadsAndWritesEveryLayout) {
  for (const auto& [m, k, n] : {Size{4, 5, 6}, Size{70, 40, 90}}) {
    for (LayoutKind left : kInputLayouts) {
      for (LayoutKind right : kInputLayouts) {
        for (LayoutKind result : kOutputLayouts) {
          SCOPED_TRACE(to_string(left) + " x " + to_string(right) + " = " + to_string(result));
          const Array a = random_array(ACL_FLOAT, {m, k}, left, 3);
          const Array b = random_array(ACL_FLOAT, {k, n}, right, 4);
          Array out(ACL_FLOAT, {m, n}, make_layout({m, n}, result));
          ASSERT_EQ(mm(a, b, out), 0) << recent_message();
          expect_product(a, b, out, m, k, n);
        }
      }
    }
  }
}

TEST_F(MatmulTest, GapsInTheOutputStayUntouched) {
  const Shape shape{70, 90};
  const Array a = random_array(ACL_FLOAT, {70, 40}, LayoutKind::kContiguous, 3);
  const Array b = random_array(ACL_FLOAT, {40, 90}, LayoutKind::kContiguous, 4);
  Array out(ACL_FLOAT, shape, make_layout(shape, LayoutKind::kGaps));
  std::memset(out.data(), 0x55, out.memory().bytes());
  std::vector<unsigned char> expected = bytes_of(out);
  ASSERT_EQ(mm(a, b, out), 0);
  for (int64_t i = 0; i < out.count(); ++i) {
    std::memcpy(expected.data() + out.place(i) * 4,
                static_cast<unsigned char*>(out.data()) + out.place(i) * 4, 4);
  }
  EXPECT_EQ(bytes_of(out), expected);
}

TEST_F(MatmulTest, MixedDtypesComputeInFloat) {
  for (const auto& [left, right, result] :
       {std::tuple{ACL_FLOAT, ACL_FLOAT16, ACL_FLOAT}, std::tuple{ACL_BF16, ACL_FLOAT, ACL_FLOAT16},
        std::tuple{ACL_FLOAT16, ACL_BF16, ACL_FLOAT},
        std::tuple{ACL_FLOAT16, ACL_FLOAT16, ACL_FLOAT},
        std::tuple{ACL_BF16, ACL_BF16, ACL_FLOAT}}) {
    for (const auto& [m, k, n] : {Size{4, 5, 6}, Size{70, 40, 90}}) {
      const Array a = random_array(left, {m, k}, LayoutKind::kTransposed, 5);
      const Array b = random_array(right, {k, n}, LayoutKind::kContiguous, 6);
      Array out(result, {m, n});
      ASSERT_EQ(matmul(a, b, out), 0) << recent_message();
      expect_product(a, b, out, m, k, n);
    }
  }
}

TEST_F(MatmulTest, DoubleWhereAcceptedIsDoubleThroughout) {
  const Array a = random_array(ACL_DOUBLE, {70, 40}, LayoutKind::kTransposed, 5);
  const Array b = random_array(ACL_DOUBLE, {40, 90}, LayoutKind::kContiguous, 6);
  Array out(ACL_DOUBLE, {70, 90});
  EXPECT_TRUE(
      fails_with(161002, {"aclnnMm", "self", "DT_DOUBLE"},
                 plan(aclnnMmGetWorkspaceSize, a.tensor(), b.tensor(), out.tensor(), int8_t{0})));
  aclgradSetAcceptDouble(1);
  ASSERT_EQ(mm(a, b, out), 0) << recent_message();
  expect_product(a, b, out, 70, 40, 90, ACL_DOUBLE);
}

TEST_F(MatmulTest, HalfPrecisionTypeRoundsTheOperands) {
  for (const auto& [m, k, n] : {Size{2, 3, 2}, Size{70, 40, 90}}) {
    const Array a = random_array(ACL_FLOAT, {m, k}, LayoutKind::kContiguous, 7);
    const Array b = random_array(ACL_FLOAT, {k, n}, LayoutKind::kContiguous, 8);
    Array rounded_a(ACL_FLOAT16, {m, k});
    Array rounded_b(ACL_FLOAT16, {k, n});
    rounded_a.fill(a.values());
    rounded_b.fill(b.values());
    Array out(ACL_FLOAT, {m, n});
    ASSERT_EQ(matmul(a, b, out, 2), 0);
    expect_product(rounded_a, rounded_b, out, m, k, n);
    for (int8_t type : {int8_t{1}, int8_t{3}, int8_t{4}}) {
      ASSERT_EQ(matmul(a, b, out, type), 0);
      expect_product(a, b, out, m, k, n);
    }
  }
}

TEST_F(MatmulTest, ResultsDoNotDependOnThreads) {
  for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    for (const auto& [m, k, n] : {Size{130, 70, 300}, Size{257, 513, 259}, Size{1, 800, 700}}) {
      const Array a = random_array(dtype, {m, k}, LayoutKind::kTransposed, 9);
      const Array b = random_array(dtype, {k, n}, LayoutKind::kContiguous, 10);
      std::vector<std::vector<unsigned char>> results;
      for (int32_t threads : {1, 2, 3}) {
        ASSERT_EQ(aclgradSetNumThreads(threads), 0);
        Array out(dtype, {m, n});
        ASSERT_EQ(matmul(a, b, out), 0);
        results.push_back(bytes_of(out));
      }
      EXPECT_EQ(results[0], results[1]);
      EXPECT_EQ(results[0], results[2]);
    }
  }
}

TEST_F(MatmulTest, ResultsDoNotDependOnLayouts) {
  aclgradSetAcceptDouble(1);
  const std::vector<LayoutKind> layouts = {LayoutKind::kContiguous, LayoutKind::kTransposed,
                                           LayoutKind::kGaps};
  for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
    for (const auto& [m, k, n] :
         {Size{5, 6, 7}, Size{2, 70, 100}, Size{130, 70, 300}, Size{257, 313, 259},
          Size{64, 1024, 128}, Size{1, 800, 300}, Size{300, 800, 1}, Size{400, 2, 30}}) {
      const Values left = Sequence(9).take(m * k, -4, 4);
      const Values right = Sequence(10).take(k * n, -4, 4);
      std::vector<Values> results;
      for (LayoutKind layout_a : layouts) {
        for (LayoutKind layout_b : layouts) {
          const Array a(dtype, {m, k}, make_layout({m, k}, layout_a), left);
          const Array b(dtype, {k, n}, make_layout({k, n}, layout_b), right);
          Array out(dtype, {m, n}, make_layout({m, n}, layout_a));
          ASSERT_EQ(matmul(a, b, out), 0);
          results.push_back(out.values());
          ASSERT_EQ(results.front(), results.back())
              << m << "x" << k << "x" << n << " " << to_string(layout_a) << to_string(layout_b);
        }
      }
    }
  }
}

struct ShapeCase {
  Shape self, mat2, out;
};

// NumPy's rules, by a reference that looks up each element through broadcasting.
TEST_F(MatmulTest, FollowsTheRulesForEveryRank) {
  const std::vector<ShapeCase> cases = {
      {{5}, {5}, {}},
      {{5}, {5}, {1}},
      {{3, 5}, {5}, {3}},
      {{5}, {5, 4}, {4}},
      {{2, 3, 5}, {5}, {2, 3}},
      {{5}, {2, 5, 4}, {2, 4}},
      {{2, 3, 5}, {5, 4}, {2, 3, 4}},
      {{3, 5}, {2, 5, 4}, {2, 3, 4}},
      {{2, 1, 3, 5}, {6, 5, 4}, {2, 6, 3, 4}},
      {{1, 2, 1, 2, 3, 5}, {2, 1, 3, 1, 5, 4}, {2, 2, 3, 2, 3, 4}}};
  for (const ShapeCase& shapes : cases) {
    for (LayoutKind layout : kInputLayouts) {
      SCOPED_TRACE(::testing::PrintToString(shapes.self) + ::testing::PrintToString(shapes.mat2) +
                   to_string(layout));
      const Array a = random_array(ACL_FLOAT, shapes.self, layout, 11);
      const Array b = random_array(ACL_FLOAT, shapes.mat2, layout, 12);
      Array out(ACL_FLOAT, shapes.out);
      ASSERT_EQ(matmul(a, b, out), 0) << recent_message();
      const bool row = shapes.self.size() == 1;
      const bool column = shapes.mat2.size() == 1;
      Shape self = shapes.self, mat2 = shapes.mat2, result = shapes.out;
      if (row && column) result = {};
      if (row) self.insert(self.begin(), 1);
      if (column) mat2.push_back(1);
      if (column) result.push_back(1);
      if (row) result.insert(result.end() - 1, 1);
      const int64_t m = self[self.size() - 2], k = self.back(), n = mat2.back();
      const Shape batch(result.begin(), result.end() - 2);
      const Values left = a.values(), right = b.values();
      for (int64_t i = 0; i < out.count(); ++i) {
        const int64_t at = i / (m * n);
        const int64_t x = broadcast_index(Shape(self.begin(), self.end() - 2), batch, at) * m * k;
        const int64_t y = broadcast_index(Shape(mat2.begin(), mat2.end() - 2), batch, at) * k * n;
        const Dot expected =
            dot({left.begin() + x, left.begin() + x + m * k},
                {right.begin() + y, right.begin() + y + k * n}, i / n % m, i % n, k, n);
        ASSERT_TRUE(is_near(out.get(i), expected.sum, tolerance(expected, k, ACL_FLOAT, ACL_FLOAT)))
            << i;
      }
    }
  }
}

TEST_F(MatmulTest, LargeBatchesAreTiled) {
  for (LayoutKind layout : {LayoutKind::kContiguous, LayoutKind::kTransposed}) {
    const Array a = random_array(ACL_FLOAT, {3, 40, 30}, layout, 13);
    const Array b = random_array(ACL_FLOAT, {3, 30, 50}, layout, 14);
    Array out(ACL_FLOAT, {3, 40, 50});
    ASSERT_EQ(matmul(a, b, out), 0);
    const Values left = a.values(), right = b.values(), result = out.values();
    for (int64_t i = 0; i < out.count(); ++i) {
      const int64_t batch = i / 2000;
      const Dot expected = dot({left.begin() + batch * 1200, left.begin() + (batch + 1) * 1200},
                               {right.begin() + batch * 1500, right.begin() + (batch + 1) * 1500},
                               i / 50 % 40, i % 50, 30, 50);
      ASSERT_TRUE(is_near(result[static_cast<size_t>(i)], expected.sum,
                          tolerance(expected, 30, ACL_FLOAT, ACL_FLOAT)));
    }
  }
}

TEST_F(MatmulTest, NothingToMultiplyGivesZeros) {
  const Array a(ACL_FLOAT, {3, 0});
  const Array b(ACL_FLOAT, {0, 4});
  Array out(ACL_FLOAT, {3, 4}, {1, 2, 3});
  ASSERT_EQ(matmul(a, b, out), 0);
  EXPECT_EQ(out.values(), Values(12, 0));
  out.fill({7});
  ASSERT_EQ(mm(a, b, out), 0);
  EXPECT_EQ(out.values(), Values(12, 0));
}

TEST_F(MatmulTest, EmptyOutputsNeedNothing) {
  const Array a(ACL_FLOAT, {0, 3});
  const Array b(ACL_FLOAT, {3, 4});
  Array out(ACL_FLOAT, {0, 4});
  EXPECT_EQ(matmul(a, b, out), 0);
  EXPECT_EQ(mm(a, b, out), 0);
}

TEST_F(MatmulTest, OutputMayBeAnOperand) {
  for (const int64_t n : {9, 16, 32, 40, 150}) {
    Array a = random_array(ACL_FLOAT, {n, n}, LayoutKind::kContiguous, 15);
    const Array before = random_array(ACL_FLOAT, {n, n}, LayoutKind::kContiguous, 15);
    Array b = random_array(ACL_FLOAT, {n, n}, LayoutKind::kContiguous, 16);
    ASSERT_EQ(mm(a, b, a), 0);
    expect_product(before, b, a, n, n, n);
    const Array right = random_array(ACL_FLOAT, {n, n}, LayoutKind::kContiguous, 16);
    ASSERT_EQ(mm(before, b, b), 0);
    expect_product(before, right, b, n, n, n);
  }
}

TEST_F(MatmulTest, InfinityAndNanComeThrough) {
  Array a = random_array(ACL_FLOAT, {40, 40}, LayoutKind::kContiguous, 1);
  const Array b = random_array(ACL_FLOAT, {40, 40}, LayoutKind::kContiguous, 2, 1, 2);
  a.set(0, std::numeric_limits<float>::infinity());
  a.set(40, std::numeric_limits<float>::quiet_NaN());
  Array out(ACL_FLOAT, {40, 40});
  ASSERT_EQ(matmul(a, b, out), 0);
  EXPECT_TRUE(std::isinf(out.get(3)));
  EXPECT_TRUE(std::isnan(out.get(43)));
  EXPECT_TRUE(std::isfinite(out.get(83)));
}

}  // namespace
}  // namespace aclgrad::testing
