// SPDX-License-Identifier: Apache-2.0
// Branch points and large numbers, written out (zeros, infinities and NaN are in
// special_tables_test.cpp), saturation of integers, and what a gradient that is not finite does.
#include <cmath>
#include <limits>

#include "aclgrad_contract/formulas.h"
#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_hardswish_backward_v2.h"
#include "aclnnop/aclnn_selu.h"
#include "aclnnop/aclnn_selu_backward.h"
#include "tests/ops/activation/bit_runs.h"

namespace aclgrad::testing {
namespace {

constexpr float kLambda = 1.05070098735548049f;
constexpr float kLambdaAlpha = 1.75809934084737686f;

struct Cell {
  const char* row;
  long double x;
  long double expected;
};

const Cell kCells[] = {
    {"aclnnSelu", 1.0f, kLambda},
    {"aclnnSelu", -1e-20f, -1.75809921e-20f},
    {"aclnnSeluBackward", -1e-30f, kLambdaAlpha},
    {"aclnnSeluBackward", 5.0f, kLambda},
    {"aclnnSeluBackward", -2.0f, -0.241900659f},
    {"aclnnElu, odd scalars", 2.0f, 2.5f},
    {"aclnnEluBackward, odd scalars", 1e-30f, 1.25f},
    {"aclnnEluBackward isResult, odd scalars", 1e-30f, 1.25f},
    {"aclnnEluBackward isResult, odd scalars", -1.875f, 0.0f},
    {"aclnnHardswish", -3.0f, 0.0f},
    {"aclnnHardswish", 3.0f, 3.0f},
    {"aclnnHardswish", -1.5f, -0.375f},
    {"aclnnHardswish", 3e38f, 3e38f},
    {"aclnnHardswish", -3e38f, 0.0f},
    {"aclnnHardswishBackward", -3.0f, -0.5f},
    {"aclnnHardswishBackward", 3.0f, 1.5f},
    {"aclnnHardswishBackward", -3.0000002f, 0.0f},
    {"aclnnHardswishBackward", 3.0000002f, 1.0f},
    {"aclnnHardswishBackward", -1.5f, 0.0f},
    {"aclnnHardswishBackwardV2", -3.0f, 0.0f},
    {"aclnnHardswishBackwardV2", 3.0f, 1.0f},
    {"aclnnHardswishBackwardV2", -2.9999998f, -0.49999991f},
    {"aclnnHardswishBackwardV2", 2.9999998f, 1.4999999f},
    {"aclnnGelu", -1e30f, 0.0f},
    {"aclnnGelu", 1e30f, 1e30f},
    {"aclnnGeluV2 none", 1.0f, 0.841344714f},  // next to the nearest, 0.841344774f
    {"aclnnGeluV2 tanh", 1.0f, 0.841191991f},
    {"aclnnGeluBackward", -1e30f, 0.0f},
    {"aclnnGeluBackward", 1e30f, 1.0f},
    {"aclnnGeluBackwardV2 none", -1.41421354f, -0.128904149f},
    {"aclnnGeGluV3Backward tanh, activateLeft", -1e20f, 0.0f},
};

using SpecialValues = ActivationTest;

TEST_F(SpecialValues, CellsOfTheTables) {
  const std::vector<Activation> all = all_activations();
  for (const Cell& cell : kCells) {
    const auto row = std::ranges::find(all, cell.row, &Activation::name);
    ASSERT_NE(row, all.end()) << cell.row;
    const long double result = value_at(*row, ACL_FLOAT, cell.x);
    EXPECT_TRUE(result == cell.expected || same(result, cell.expected))
        << cell.row << "(" << cell.x << ") is " << result << ", expected " << cell.expected;
  }
}

TEST_F(SpecialValues, GradientTimesSlopeFollowsIeee) {
  struct Product {
    long double gradient;
    long double x;
    long double expected;
  };
  // Below -3 the slope is a 0 that is multiplied.
  for (const Product& row : {Product{kInfinity, -4, kNaN}, Product{-2, -4, -0.0f},
                             Product{kNaN, 4, kNaN}, Product{kInfinity, 4, kInfinity},
                             Product{kInfinity, -2, -kInfinity}, Product{0, kNaN, kNaN}}) {
    const Array gradient(ACL_FLOAT, {1}, {row.gradient});
    const Array x(ACL_FLOAT, {1}, {row.x});
    const Array out(ACL_FLOAT, {1}, {99});
    ASSERT_TRUE(runs(PHASES(aclnnHardswishBackward), gradient, x, out));
    EXPECT_TRUE(same(out.get(0), row.expected)) << row.gradient << " " << row.x;
    ASSERT_TRUE(runs(PHASES(aclnnHardswishBackwardV2), gradient, x, out));
    EXPECT_TRUE(same(out.get(0), row.expected)) << row.gradient << " " << row.x;
  }
}

// At the double nearest to -lambda alpha only what that double leaves out remains.
TEST_F(SpecialValues, SeluBackwardAtItsLimitInDouble) {
  aclgradSetAcceptDouble(1);
  const Array gradient(ACL_DOUBLE, {1}, {1});
  const Array y(ACL_DOUBLE, {1}, {-contract::formulas::kLambdaAlpha});
  const Array out(ACL_DOUBLE, {1});
  ASSERT_TRUE(runs(PHASES(aclnnSeluBackward), gradient, y, out));
  EXPECT_NEAR(static_cast<double>(out.get(0)), 1.4152e-17, 1e-20);
}

// ---- ELU with odd scalars -----------------------------------------------------------------------

class EluScalars : public AclTest {
 protected:
  std::vector<long double> forward(long double alpha, long double scale, long double input_scale,
                                   std::initializer_list<long double> x) {
    const Array self(ACL_FLOAT, {static_cast<int64_t>(x.size())}, x);
    const Array out(ACL_FLOAT, self.shape());
    const Scalar a(static_cast<float>(alpha));
    const Scalar s(static_cast<float>(scale));
    const Scalar i(static_cast<float>(input_scale));
    EXPECT_TRUE(runs(PHASES(aclnnElu), self, a, s, i, out));
    return out.values();
  }
};

TEST_F(EluScalars, NonFiniteAlphaOrInputScaleGivesTheConstantBranch) {
  using Values = std::vector<long double>;
  EXPECT_EQ(forward(2, 3, kInfinity, {-1, 0, 1, -kInfinity, kInfinity}),
            (Values{-6, -6, 3, -6, kInfinity}));
  EXPECT_EQ(forward(2, 3, -kInfinity, {-1, 0, 1}), (Values{-6, -6, 3}));
  EXPECT_EQ(forward(2, 3, kNaN, {-1, 0, 1}), (Values{-6, -6, 3}));
  EXPECT_EQ(forward(kInfinity, 3, 1, {-1, 0, 1}), (Values{-kInfinity, -kInfinity, 3}));
  const Values with_nan = forward(kNaN, 3, 1, {-1, 1});
  EXPECT_TRUE(std::isnan(with_nan[0]));
  EXPECT_EQ(with_nan[1], 3);
  EXPECT_TRUE(std::isnan(forward(2, 3, kInfinity, {kNaN})[0]));
}

TEST_F(EluScalars, NegativeAlphaAndZeroInputScale) {
  using Values = std::vector<long double>;
  EXPECT_EQ(forward(-2, 1, 1, {-kInfinity, 0, 4}), (Values{2, 0, 4}));
  EXPECT_EQ(forward(1, 1, 0, {-kInfinity, -5, 5}), (Values{0, 0, 5}));
  EXPECT_NEAR(static_cast<double>(forward(1, 1, -1, {-1})[0]), 1.718281828, 1e-6);
}

TEST_F(EluScalars, AreTakenAsFloatFromAnyRealType) {
  const Array self(ACL_DOUBLE, {2}, {-1, 1});
  const Array out(ACL_DOUBLE, {2});
  const Scalar alpha(0.1);  // a double that is not a float
  const Scalar scale(int64_t{2});
  const Scalar input_scale(true);
  ASSERT_TRUE(runs(PHASES(aclnnElu), self, alpha, scale, input_scale, out));
  const double expected = 2 * static_cast<double>(0.1f) * std::expm1(-1.0);
  EXPECT_NEAR(static_cast<double>(out.get(0)), expected, 1e-16);
  EXPECT_EQ(out.get(1), 2);
}

// ---- SELU of integers ---------------------------------------------------------------------------

class SeluIntegers : public AclTest {};

TEST_F(SeluIntegers, ForwardTruncatesAndSaturates) {
  const Array x(ACL_INT8, {8}, {-128, -1, 0, 1, 20, 121, 122, 127});
  const Array out(ACL_INT8, {8});
  ASSERT_TRUE(runs(PHASES(aclnnSelu), x, out));
  EXPECT_EQ(out.values(), (std::vector<long double>{-1, -1, 0, 1, 21, 127, 127, 127}));

  const Array wide(ACL_INT32, {6}, {-2147483648.0L, -3, 0, 1000000007, 2043855571, 2147483647});
  const Array result(ACL_INT32, {6});
  ASSERT_TRUE(runs(PHASES(aclnnSelu), wide, result));
  EXPECT_EQ(result.values(),
            (std::vector<long double>{-1, -1, 0, 1050700994, 2147481066, 2147483647}));
}

// Every INT8 pair, and INT32 factors whose products with lambda and lambda alpha come nearest to
// integers (denominators of the convergents of their continued fractions).
TEST_F(SeluIntegers, BackwardIsExact) {
  Array g(ACL_INT8, {256, 256});
  Array y(ACL_INT8, {256, 256});
  const Array out(ACL_INT8, {256, 256});
  for (int64_t i = 0; i < 65536; ++i) {
    g.set(i, i / 256 - 128);
    y.set(i, i % 256 - 128);
  }
  ASSERT_TRUE(runs(PHASES(aclnnSeluBackward), g, y, out));
  for (int64_t i = 0; i < 65536; ++i) {
    const long double slope =
        y.get(i) < 0 ? y.get(i) + contract::formulas::kLambdaAlpha : contract::formulas::kLambda;
    const long double expected = std::clamp(std::trunc(g.get(i) * slope), -128.0L, 127.0L);
    ASSERT_EQ(out.get(i), expected) << g.get(i) << " " << y.get(i);
  }

  const Array wide_g(ACL_INT32, {10},
                     {602842757, 595821375, 700122375, -700122375, 692604541, 7021382, 2147483647,
                      -2147483648.0L, 5, 2147483647});
  const Array wide_y(ACL_INT32, {10},
                     {0, 7, -1, -1, -2, 0, -2147483648.0L, -2147483648.0L, -1, -2});
  const Array wide_out(ACL_INT32, {10});
  ASSERT_TRUE(runs(PHASES(aclnnSeluBackward), wide_g, wide_y, wide_out));
  // Computed with 60 digits.
  EXPECT_EQ(wide_out.values(),
            (std::vector<long double>{633407479, 626030107, 530762310, -530762310, -167541494,
                                      7377372, -2147483648.0L, 2147483647, 3, -519477709}));
}

}  // namespace
}  // namespace aclgrad::testing
