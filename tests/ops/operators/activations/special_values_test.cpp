// SPDX-License-Identifier: Apache-2.0
// The cells of the contract's tables, written out: branch points, infinities, NaN, saturation of
// integers, and what a gradient that is not finite does.
#include <cmath>
#include <limits>

#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_hardswish_backward_v2.h"
#include "aclnnop/aclnn_selu.h"
#include "aclnnop/aclnn_selu_backward.h"
#include "tests/ops/operators/activations/cases.h"

namespace aclgrad::testing {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kLambda = 1.05070098735548049f;
constexpr float kLambdaAlpha = 1.75809934084737686f;

bool same(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

struct Cell {
  const char* row;
  float x;
  float expected;
};

const Cell kCells[] = {
    {"Selu", 0.0f, 0.0f},
    {"Selu", -0.0f, 0.0f},
    {"Selu", 1.0f, kLambda},
    {"Selu", -1e-20f, -1.75809921e-20f},
    {"Selu", -kInf, -kLambdaAlpha},
    {"Selu", kInf, kInf},
    {"Selu", kNan, kNan},
    {"SeluBackward", 0.0f, kLambda},
    {"SeluBackward", -0.0f, kLambda},
    {"SeluBackward", -1e-30f, kLambdaAlpha},
    {"SeluBackward", 5.0f, kLambda},
    {"SeluBackward", -2.0f, -0.241900659f},
    {"SeluBackward", kInf, kLambda},
    {"SeluBackward", -kInf, -kInf},
    {"SeluBackward", kNan, kNan},
    {"Elu", 0.0f, 0.0f},
    {"Elu", 2.0f, 2.5f},
    {"Elu", -kInf, -1.875f},
    {"Elu", kInf, kInf},
    {"Elu", kNan, kNan},
    {"EluBackward of input", 0.0f, 1.40625f},
    {"EluBackward of input", -0.0f, 1.40625f},
    {"EluBackward of input", 1e-30f, 1.25f},
    {"EluBackward of input", -kInf, 0.0f},
    {"EluBackward of input", kInf, 1.25f},
    {"EluBackward of input", kNan, kNan},
    {"EluBackward of result", 0.0f, 1.40625f},
    {"EluBackward of result", 1e-30f, 1.25f},
    {"EluBackward of result", -1.875f, 0.0f},
    {"EluBackward of result", -kInf, -kInf},
    {"EluBackward of result", kInf, 1.25f},
    {"EluBackward of result", kNan, kNan},
    {"Hardswish", -3.0f, 0.0f},
    {"Hardswish", 3.0f, 3.0f},
    {"Hardswish", -1.5f, -0.375f},
    {"Hardswish", 0.0f, 0.0f},
    {"Hardswish", 3e38f, 3e38f},
    {"Hardswish", -3e38f, 0.0f},
    {"Hardswish", -kInf, 0.0f},
    {"Hardswish", kInf, kInf},
    {"Hardswish", kNan, kNan},
    {"HardswishBackward", -3.0f, -0.5f},
    {"HardswishBackward", 3.0f, 1.5f},
    {"HardswishBackward", -3.0000002f, 0.0f},
    {"HardswishBackward", 3.0000002f, 1.0f},
    {"HardswishBackward", -1.5f, 0.0f},
    {"HardswishBackward", -kInf, 0.0f},
    {"HardswishBackward", kInf, 1.0f},
    {"HardswishBackward", kNan, kNan},
    {"HardswishBackwardV2", -3.0f, 0.0f},
    {"HardswishBackwardV2", 3.0f, 1.0f},
    {"HardswishBackwardV2", -2.9999998f, -0.49999991f},
    {"HardswishBackwardV2", 2.9999998f, 1.4999999f},
    {"HardswishBackwardV2", -kInf, 0.0f},
    {"HardswishBackwardV2", kInf, 1.0f},
    {"HardswishBackwardV2", kNan, kNan},
    {"Gelu", -kInf, 0.0f},
    {"Gelu", kInf, kInf},
    {"Gelu", -1e30f, 0.0f},
    {"Gelu", 1e30f, 1e30f},
    {"Gelu", kNan, kNan},
    {"GeluV2 erf", -kInf, 0.0f},
    {"GeluV2 erf", kInf, kInf},
    {"GeluV2 erf", 1.0f, 0.841344746f},
    {"GeluV2 erf", kNan, kNan},
    {"GeluV2 tanh", 1.0f, 0.841191991f},
    {"GeluBackward", -kInf, 0.0f},
    {"GeluBackward", kInf, 1.0f},
    {"GeluBackward", 0.0f, 0.5f},
    {"GeluBackward", -1e30f, 0.0f},
    {"GeluBackward", 1e30f, 1.0f},
    {"GeluBackward", kNan, kNan},
    {"GeluBackwardV2 none", -kInf, 0.0f},
    {"GeluBackwardV2 none", kInf, 1.0f},
    {"GeluBackwardV2 none", 0.0f, 0.5f},
    {"GeluBackwardV2 none", -1.41421354f, -0.128904149f},
    {"GeluBackwardV2 none", kNan, kNan},
    {"GeGluV3 erf right", -kInf, 0.0f},
    {"GeGluV3 tanh right", kInf, kInf},
    {"GeGluV3 erf left", kNan, kNan},
    {"GeGluV3Backward erf right", -kInf, 0.0f},
    {"GeGluV3Backward tanh right", -kInf, 0.0f},
    {"GeGluV3Backward erf left", kInf, 1.0f},
    {"GeGluV3Backward tanh left", kInf, 1.0f},
    {"GeGluV3Backward tanh left", -1e20f, 0.0f},
    {"GeGluV3Backward erf right", kNan, kNan},
};

class SpecialValues : public AclTest {};

TEST_F(SpecialValues, CellsOfTheTables) {
  for (const Cell& cell : kCells) {
    const Array x(ACL_FLOAT, {1}, {cell.x});
    const Array out(ACL_FLOAT, {1}, {99});
    ASSERT_EQ(activation_case(cell.row).run(stream(), x, out), 0) << recent_message();
    EXPECT_TRUE(same(static_cast<float>(out.get(0)), cell.expected))
        << cell.row << "(" << cell.x << ") is " << out.get(0) << ", expected " << cell.expected;
  }
}

TEST_F(SpecialValues, GradientTimesSlopeFollowsIeee) {
  struct Row {
    float gradient;
    float x;
    float expected;
  };
  // Below -3 the slope is a 0 that is multiplied.
  for (const Row& row : {Row{kInf, -4, kNan}, Row{-2, -4, -0.0f}, Row{kNan, 4, kNan},
                         Row{kInf, 4, kInf}, Row{kInf, -2, -kInf}, Row{0, kNan, kNan}}) {
    const Array gradient(ACL_FLOAT, {1}, {row.gradient});
    const Array x(ACL_FLOAT, {1}, {row.x});
    const Array out(ACL_FLOAT, {1}, {99});
    ASSERT_EQ(call(aclnnHardswishBackwardGetWorkspaceSize, aclnnHardswishBackward,
                   gradient.tensor(), x.tensor(), out.tensor()),
              0);
    EXPECT_TRUE(same(static_cast<float>(out.get(0)), row.expected)) << row.gradient << " " << row.x;
    ASSERT_EQ(call(aclnnHardswishBackwardV2GetWorkspaceSize, aclnnHardswishBackwardV2,
                   gradient.tensor(), x.tensor(), out.tensor()),
              0);
    EXPECT_TRUE(same(static_cast<float>(out.get(0)), row.expected)) << row.gradient << " " << row.x;
  }
}

// At the double nearest to -lambda alpha only what that double leaves out remains.
TEST_F(SpecialValues, SeluBackwardAtItsLimitInDouble) {
  aclgradSetAcceptDouble(1);
  const Array gradient(ACL_DOUBLE, {1}, {1});
  const Array y(ACL_DOUBLE, {1}, {-kSeluLambdaAlpha});
  const Array out(ACL_DOUBLE, {1});
  ASSERT_EQ(call(aclnnSeluBackwardGetWorkspaceSize, aclnnSeluBackward, gradient.tensor(),
                 y.tensor(), out.tensor()),
            0);
  EXPECT_NEAR(static_cast<double>(out.get(0)), 1.4152e-17, 1e-20);
}

// ---- ELU with odd scalars -----------------------------------------------------------------------

class EluScalars : public AclTest {
 protected:
  std::vector<long double> forward(float alpha, float scale, float input_scale,
                                   std::initializer_list<long double> x) {
    const Array self(ACL_FLOAT, {static_cast<int64_t>(x.size())}, x);
    const Array out(ACL_FLOAT, self.shape());
    const Scalar a(alpha);
    const Scalar s(scale);
    const Scalar i(input_scale);
    EXPECT_EQ(call(aclnnEluGetWorkspaceSize, aclnnElu, self.tensor(), a.get(), s.get(), i.get(),
                   out.tensor()),
              0);
    return out.values();
  }
};

TEST_F(EluScalars, NonFiniteAlphaOrInputScaleGivesTheConstantBranch) {
  using Values = std::vector<long double>;
  EXPECT_EQ(forward(2, 3, kInf, {-1, 0, 1, -kInf, kInf}), (Values{-6, -6, 3, -6, kInf}));
  EXPECT_EQ(forward(2, 3, -kInf, {-1, 0, 1}), (Values{-6, -6, 3}));
  EXPECT_EQ(forward(2, 3, kNan, {-1, 0, 1}), (Values{-6, -6, 3}));
  EXPECT_EQ(forward(kInf, 3, 1, {-1, 0, 1}), (Values{-kInf, -kInf, 3}));
  const Values with_nan = forward(kNan, 3, 1, {-1, 1});
  EXPECT_TRUE(std::isnan(with_nan[0]));
  EXPECT_EQ(with_nan[1], 3);
  EXPECT_TRUE(std::isnan(forward(2, 3, kInf, {kNan})[0]));
}

TEST_F(EluScalars, NegativeAlphaAndZeroInputScale) {
  using Values = std::vector<long double>;
  EXPECT_EQ(forward(-2, 1, 1, {-kInf, 0, 4}), (Values{2, 0, 4}));
  EXPECT_EQ(forward(1, 1, 0, {-kInf, -5, 5}), (Values{0, 0, 5}));
  EXPECT_NEAR(static_cast<double>(forward(1, 1, -1, {-1})[0]), 1.718281828, 1e-6);
}

TEST_F(EluScalars, AreTakenAsFloatFromAnyRealType) {
  const Array self(ACL_DOUBLE, {2}, {-1, 1});
  const Array out(ACL_DOUBLE, {2});
  const Scalar alpha(0.1);  // a double that is not a float
  const Scalar scale(int64_t{2});
  const Scalar input_scale(true);
  ASSERT_EQ(call(aclnnEluGetWorkspaceSize, aclnnElu, self.tensor(), alpha.get(), scale.get(),
                 input_scale.get(), out.tensor()),
            0);
  const double expected = 2 * static_cast<double>(0.1f) * std::expm1(-1.0);
  EXPECT_NEAR(static_cast<double>(out.get(0)), expected, 1e-16);
  EXPECT_EQ(out.get(1), 2);
}

// ---- SELU of integers ---------------------------------------------------------------------------

class SeluIntegers : public AclTest {};

TEST_F(SeluIntegers, ForwardTruncatesAndSaturates) {
  const Array x(ACL_INT8, {8}, {-128, -1, 0, 1, 20, 121, 122, 127});
  const Array out(ACL_INT8, {8});
  ASSERT_EQ(call(aclnnSeluGetWorkspaceSize, aclnnSelu, x.tensor(), out.tensor()), 0);
  EXPECT_EQ(out.values(), (std::vector<long double>{-1, -1, 0, 1, 21, 127, 127, 127}));

  const Array wide(ACL_INT32, {6}, {-2147483648.0L, -3, 0, 1000000007, 2043855571, 2147483647});
  const Array result(ACL_INT32, {6});
  ASSERT_EQ(call(aclnnSeluGetWorkspaceSize, aclnnSelu, wide.tensor(), result.tensor()), 0);
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
  ASSERT_EQ(call(aclnnSeluBackwardGetWorkspaceSize, aclnnSeluBackward, g.tensor(), y.tensor(),
                 out.tensor()),
            0);
  for (int64_t i = 0; i < 65536; ++i) {
    const long double slope = y.get(i) < 0 ? y.get(i) + kSeluLambdaAlpha : kSeluLambda;
    const long double expected = std::clamp(std::trunc(g.get(i) * slope), -128.0L, 127.0L);
    ASSERT_EQ(out.get(i), expected) << g.get(i) << " " << y.get(i);
  }

  const Array wide_g(ACL_INT32, {10},
                     {602842757, 595821375, 700122375, -700122375, 692604541, 7021382, 2147483647,
                      -2147483648.0L, 5, 2147483647});
  const Array wide_y(ACL_INT32, {10},
                     {0, 7, -1, -1, -2, 0, -2147483648.0L, -2147483648.0L, -1, -2});
  const Array wide_out(ACL_INT32, {10});
  ASSERT_EQ(call(aclnnSeluBackwardGetWorkspaceSize, aclnnSeluBackward, wide_g.tensor(),
                 wide_y.tensor(), wide_out.tensor()),
            0);
  // Computed with 60 digits.
  EXPECT_EQ(wide_out.values(),
            (std::vector<long double>{633407479, 626030107, 530762310, -530762310, -167541494,
                                      7377372, -2147483648.0L, 2147483647, 3, -519477709}));
}

}  // namespace
}  // namespace aclgrad::testing
