// SPDX-License-Identifier: Apache-2.0
#include "aclnnop/aclnn_addmm.h"

#include <tuple>

#include "tests/ops/operators/training/support.h"

namespace aclgrad::testing {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class AddmmTest : public AclTest {
 protected:
  aclnnStatus addmm(const Array& self, const Array& a, const Array& b, float beta, float alpha,
                    Array& out, int8_t type = 0) {
    const Scalar scaled_beta(beta);
    const Scalar scaled_alpha(alpha);
    return call(aclnnAddmmGetWorkspaceSize, aclnnAddmm, self.tensor(), a.tensor(), b.tensor(),
                scaled_beta.get(), scaled_alpha.get(), out.tensor(), type);
  }
  aclnnStatus inplace_addmm(Array& self, const Array& a, const Array& b, float beta, float alpha) {
    const Scalar scaled_beta(beta);
    const Scalar scaled_alpha(alpha);
    return call(aclnnInplaceAddmmGetWorkspaceSize, aclnnInplaceAddmm, self.tensor(), a.tensor(),
                b.tensor(), scaled_beta.get(), scaled_alpha.get(), int8_t{0});
  }
};

// out against beta * self + alpha * a b, with FLOAT sums and one rounding to out's dtype.
void expect_result(const Values& self, const Shape& self_shape, const Array& a, const Array& b,
                   float beta, float alpha, const Array& out) {
  const int64_t m = a.shape()[0], k = a.shape()[1], n = b.shape()[1];
  const Values left = a.values(), right = b.values();
  for (int64_t i = 0; i < m * n; ++i) {
    long double sum = 0, magnitude = 0;
    for (int64_t j = 0; j < k; ++j) {
      const long double term =
          left[static_cast<size_t>(i / n * k + j)] * right[static_cast<size_t>(j * n + i % n)];
      sum += term;
      magnitude += std::abs(term);
    }
    long double expected = static_cast<long double>(alpha) * sum;
    if (beta != 0) {
      expected += static_cast<long double>(beta) *
                  self[static_cast<size_t>(broadcast_index(self_shape, {m, n}, i))];
    }
    const long double tolerance = 0.51L * ulp_at(expected, out.dtype()) +
                                  std::ldexp(1.0L, -23) * static_cast<long double>(k + 2) *
                                      magnitude * std::abs(static_cast<long double>(alpha));
    ASSERT_TRUE(is_near(out.get(i), expected, tolerance)) << "element " << i;
  }
}

TEST_F(AddmmTest, ScalesAndAddsForEveryDtypeSizeAndBroadcast) {
  for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    for (const auto& [m, k, n] :
         {std::tuple{3, 4, 5}, std::tuple{32, 64, 10}, std::tuple{70, 65, 300}}) {
      for (const Shape& shape : {Shape{m, n}, Shape{n}, Shape{1}, Shape{m, 1}, Shape{1, n}}) {
        for (const auto& [beta, alpha] :
             {std::pair{1.0f, 1.0f}, std::pair{0.3f, -2.5f}, std::pair{0.0f, 1.0f}}) {
          SCOPED_TRACE(::testing::Message() << dtype << " " << m << "x" << k << "x" << n << " self "
                                            << ::testing::PrintToString(shape) << " beta " << beta);
          const Array self = random_array(dtype, shape, LayoutKind::kGaps, 1);
          const Array a = random_array(dtype, {m, k}, LayoutKind::kContiguous, 2);
          const Array b = random_array(dtype, {k, n}, LayoutKind::kTransposed, 3);
          Array out(dtype, {m, n});
          ASSERT_EQ(addmm(self, a, b, beta, alpha, out), 0) << recent_message();
          expect_result(self.values(), shape, a, b, beta, alpha, out);
        }
      }
    }
  }
}

TEST_F(AddmmTest, WritesEveryLayout) {
  for (LayoutKind layout : kOutputLayouts) {
    const Array self = random_array(ACL_FLOAT, {90}, LayoutKind::kContiguous, 1);
    const Array a = random_array(ACL_FLOAT, {70, 40}, layout, 2);
    const Array b = random_array(ACL_FLOAT, {40, 90}, layout, 3);
    Array out(ACL_FLOAT, {70, 90}, make_layout({70, 90}, layout));
    ASSERT_EQ(addmm(self, a, b, 1, 1, out), 0);
    expect_result(self.values(), {90}, a, b, 1, 1, out);
  }
}

TEST_F(AddmmTest, InPlaceTheOutputIsTheAddend) {
  for (const auto& [m, k, n] : {std::tuple{3, 4, 5}, std::tuple{70, 65, 300}}) {
    Array self = random_array(ACL_FLOAT, {m, n}, LayoutKind::kTransposed, 4);
    const Values before = self.values();
    const Array a = random_array(ACL_FLOAT, {m, k}, LayoutKind::kContiguous, 5);
    const Array b = random_array(ACL_FLOAT, {k, n}, LayoutKind::kContiguous, 6);
    ASSERT_EQ(inplace_addmm(self, a, b, 0.5f, 2), 0);
    expect_result(before, {m, n}, a, b, 0.5f, 2, self);
  }
}

TEST_F(AddmmTest, BetaZeroDoesNotReadTheAddend) {
  const Array self(ACL_FLOAT, {2}, {kNan, kNan});
  const Array a(ACL_FLOAT, {1, 2}, {3, 4});
  const Array b(ACL_FLOAT, {2, 2}, {1, 2, 3, 4});
  Array out(ACL_FLOAT, {1, 2});
  for (float beta : {0.0f, 1e-8f, -1e-8f}) {
    ASSERT_EQ(addmm(self, a, b, beta, 2, out), 0);
    EXPECT_EQ(out.values(), (Values{30, 44}));
  }
}

TEST_F(AddmmTest, AlphaZeroDoesNotComputeTheProduct) {
  const Array self(ACL_FLOAT, {2}, {3, 5});
  const Array a(ACL_FLOAT, {1, 2}, {kNan, 4});
  const Array b(ACL_FLOAT, {2, 2}, {1, 2, 3, 4});
  Array out(ACL_FLOAT, {1, 2});
  for (float alpha : {0.0f, 1e-8f}) {
    ASSERT_EQ(addmm(self, a, b, 2, alpha, out), 0);
    EXPECT_EQ(out.values(), (Values{6, 10}));
  }
  ASSERT_EQ(addmm(self, a, b, 0, 0, out), 0);
  EXPECT_EQ(out.values(), (Values{0, 0}));
}

TEST_F(AddmmTest, NothingToMultiplyLeavesTheAddend) {
  const Array self(ACL_FLOAT, {2}, {3, 5});
  const Array a(ACL_FLOAT, {2, 0});
  const Array b(ACL_FLOAT, {0, 2});
  Array out(ACL_FLOAT, {2, 2}, {9});
  ASSERT_EQ(addmm(self, a, b, 2, 7, out), 0);
  EXPECT_EQ(out.values(), (Values{6, 10, 6, 10}));
}

TEST_F(AddmmTest, EmptyOutputsNeedNothing) {
  const Array self(ACL_FLOAT, {1});
  const Array a(ACL_FLOAT, {0, 3});
  const Array b(ACL_FLOAT, {3, 2});
  Array out(ACL_FLOAT, {0, 2});
  EXPECT_EQ(addmm(self, a, b, 1, 1, out), 0);
  EXPECT_EQ(addmm(Array(ACL_FLOAT, {0, 2}), a, b, 1, 1, out), 0);
}

TEST_F(AddmmTest, ResultsDoNotDependOnThreads) {
  const Array self = random_array(ACL_FLOAT, {300}, LayoutKind::kContiguous, 1);
  const Array a = random_array(ACL_FLOAT, {200, 150}, LayoutKind::kTransposed, 2);
  const Array b = random_array(ACL_FLOAT, {150, 300}, LayoutKind::kContiguous, 3);
  std::vector<std::vector<unsigned char>> results;
  for (int32_t threads : {1, 2}) {
    ASSERT_EQ(aclgradSetNumThreads(threads), 0);
    Array out(ACL_FLOAT, {200, 300});
    ASSERT_EQ(addmm(self, a, b, 0.7f, 1.3f, out), 0);
    results.push_back(bytes_of(out));
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST_F(AddmmTest, DoubleWhereAcceptedIsDoubleThroughout) {
  aclgradSetAcceptDouble(1);
  const Array self = random_array(ACL_DOUBLE, {40}, LayoutKind::kContiguous, 1);
  const Array a = random_array(ACL_DOUBLE, {30, 35}, LayoutKind::kContiguous, 2);
  const Array b = random_array(ACL_DOUBLE, {35, 40}, LayoutKind::kTransposed, 3);
  Array out(ACL_DOUBLE, {30, 40});
  const Scalar beta(0.1), alpha(0.3);
  ASSERT_EQ(call(aclnnAddmmGetWorkspaceSize, aclnnAddmm, self.tensor(), a.tensor(), b.tensor(),
                 beta.get(), alpha.get(), out.tensor(), int8_t{0}),
            0);
  for (int64_t i = 0; i < out.count(); ++i) {
    long double sum = 0;
    for (int64_t j = 0; j < 35; ++j) sum += a.get(i / 40 * 35 + j) * b.get(j * 40 + i % 40);
    const long double expected =
        static_cast<long double>(0.1) * self.get(i % 40) + static_cast<long double>(0.3) * sum;
    ASSERT_TRUE(is_near(out.get(i), expected, 1e-13L)) << i;
  }
}

// ---- Checks -------------------------------------------------------------------------------------

TEST_F(AddmmTest, OldProductsKnowNoFullFloat) {
  ASSERT_EQ(aclgradSetSocName("Ascend310P3"), 0);
  Array f(ACL_FLOAT, {2, 2});
  const Scalar one(1.0f);
  for (int8_t type : {int8_t{0}, int8_t{3}}) {
    EXPECT_TRUE(fails_with(161002, {"aclnnAddmm", "cubeMathType", "DT_FLOAT"},
                           plan(aclnnAddmmGetWorkspaceSize, f.tensor(), f.tensor(), f.tensor(),
                                one.get(), one.get(), f.tensor(), type)));
  }
}

}  // namespace
}  // namespace aclgrad::testing
