// SPDX-License-Identifier: Apache-2.0
// What the rows of the case table do not have of the elementwise functions: integers, complex
// numbers, mixed dtypes and special values.
#include <cmath>
#include <complex>
#include <limits>

#include "aclgrad_ext.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "aclnnop/aclnn_log.h"
#include "aclnnop/aclnn_neg.h"
#include "aclnnop/aclnn_reciprocal.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_rsqrt.h"
#include "aclnnop/aclnn_sigmoid.h"
#include "aclnnop/aclnn_sigmoid_backward.h"
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "aclnnop/aclnn_sin.h"
#include "aclnnop/aclnn_softplus.h"
#include "aclnnop/aclnn_softplus_backward.h"
#include "aclnnop/aclnn_sqrt.h"
#include "aclnnop/aclnn_tanh.h"
#include "aclnnop/aclnn_threshold_backward.h"
#include "tests/ops/support/fixture.h"
#include "tests/ops/support/numbers.h"

namespace aclgrad::testing {
namespace {

using Plan = aclnnStatus (*)(const aclTensor*, aclTensor*, uint64_t*, aclOpExecutor**);
using Start = aclnnStatus (*)(void*, uint64_t, aclOpExecutor*, aclrtStream);

class FunctionsTest : public AclTest {
 protected:
  void TearDown() override {
    aclgradSetSocName("Ascend910B");
    AclTest::TearDown();
  }

  Values results(Plan phase_one, Start phase_two, aclDataType from, const Values& x,
                 aclDataType to) {
    const auto count = static_cast<int64_t>(x.size());
    Array self(from, {count});
    self.fill(x);
    const Array out(to, {count});
    EXPECT_EQ(call(phase_one, phase_two, self.tensor(), out.tensor()), 0) << recent_message();
    Values values;
    for (int64_t i = 0; i < count; ++i) values.push_back(out.get(i));
    return values;
  }
};

void expect_near(const Values& actual, const Values& expected, aclDataType dtype, double ulp) {
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_LE(ulp_error(actual[i], expected[i], dtype), ulp) << i << ": " << actual[i];
  }
}

TEST_F(FunctionsTest, IntegersAreComputedInFloat) {
  for (const aclDataType dtype : {ACL_INT64, ACL_BOOL}) {
    const Values y = results(aclnnExpGetWorkspaceSize, aclnnExp, dtype, {0, 1}, ACL_FLOAT);
    expect_near(y, {1, std::exp(1.0L)}, ACL_FLOAT, 1);
  }
  for (const aclDataType dtype : {ACL_INT8, ACL_INT16, ACL_INT32, ACL_UINT8}) {
    expect_near(results(aclnnTanhGetWorkspaceSize, aclnnTanh, dtype, {0, 2}, ACL_FLOAT),
                {0, std::tanh(2.0L)}, ACL_FLOAT, 1.5);
    expect_near(results(aclnnSinGetWorkspaceSize, aclnnSin, dtype, {0, 100}, ACL_DOUBLE),
                {0, round_to(std::sin(100.0L), ACL_FLOAT)}, ACL_FLOAT, 0);
  }
}

TEST_F(FunctionsTest, SomeConvertIntegersOtherwise) {
  // 2^24 + 1 is no FLOAT.
  const Values large = {16777217};
  expect_near(results(aclnnSqrtGetWorkspaceSize, aclnnSqrt, ACL_INT64, large, ACL_DOUBLE),
              {std::sqrt(16777217.0L)}, ACL_DOUBLE, 0.51);
  expect_near(results(aclnnSqrtGetWorkspaceSize, aclnnSqrt, ACL_INT32, large, ACL_DOUBLE), {4096},
              ACL_DOUBLE, 0);
  // To the output's dtype first: 2049 is 2048 in FLOAT16.
  expect_near(results(aclnnRsqrtGetWorkspaceSize, aclnnRsqrt, ACL_INT32, {2049}, ACL_FLOAT16),
              {1 / std::sqrt(2048.0L)}, ACL_FLOAT16, 0.501);
  expect_near(results(aclnnRsqrtGetWorkspaceSize, aclnnRsqrt, ACL_INT32, large, ACL_DOUBLE),
              {1 / std::sqrt(16777217.0L)}, ACL_DOUBLE, 1.5);
}

TEST_F(FunctionsTest, ResultsAreRoundedToTheTypeOfTheComputationFirst) {
  const Values y = results(aclnnExpGetWorkspaceSize, aclnnExp, ACL_FLOAT16, {1}, ACL_FLOAT);
  EXPECT_EQ(y[0], round_to(std::exp(1.0L), ACL_FLOAT16));
  // SiLU computes in FLOAT.
  const Values z = results(aclnnSiluGetWorkspaceSize, aclnnSilu, ACL_FLOAT16, {1}, ACL_FLOAT);
  expect_near(z, {1 / (1 + std::exp(-1.0L))}, ACL_FLOAT, 1);
}

TEST_F(FunctionsTest, ComplexNumbers) {
  using Complex = std::complex<double>;
  const Complex x(0.5, -1.25);
  const auto check = [&](Plan phase_one, Start phase_two, const Complex& expected) {
    Array self(ACL_COMPLEX128, {1});
    const Array out(ACL_COMPLEX128, {1});
    std::memcpy(self.data(), &x, sizeof(x));
    ASSERT_EQ(call(phase_one, phase_two, self.tensor(), out.tensor()), 0) << recent_message();
    EXPECT_LE(std::abs(load_as<Complex>(out.data(), 0) - expected), 1e-15 * std::abs(expected));
  };
  check(aclnnExpGetWorkspaceSize, aclnnExp, std::exp(x));
  check(aclnnLogGetWorkspaceSize, aclnnLog, std::log(x));
  check(aclnnSqrtGetWorkspaceSize, aclnnSqrt, std::sqrt(x));
  check(aclnnRsqrtGetWorkspaceSize, aclnnRsqrt, 1.0 / std::sqrt(x));
  check(aclnnReciprocalGetWorkspaceSize, aclnnReciprocal, 1.0 / x);
  check(aclnnSinGetWorkspaceSize, aclnnSin, std::sin(x));
  check(aclnnSigmoidGetWorkspaceSize, aclnnSigmoid, 1.0 / (1.0 + std::exp(-x)));
}

TEST_F(FunctionsTest, SigmoidBackwardPromotes) {
  const Array g(ACL_FLOAT16, {2, 1}, {3, -5});
  const Array y(ACL_BF16, {2}, {0.25L, 0.5L});
  const Array out(ACL_FLOAT, {2, 2});
  ASSERT_EQ(call(aclnnSigmoidBackwardGetWorkspaceSize, aclnnSigmoidBackward, g.tensor(), y.tensor(),
                 out.tensor()),
            0)
      << recent_message();
  const Values expected = {0.5625L, 0.75L, -0.9375L, -1.25L};
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(out.get(i), expected[static_cast<size_t>(i)]);
}

TEST_F(FunctionsTest, SiluAtSpecialValues) {
  const Values x = {-kInfinity, -3e38L, -200, -100, -0.0L, 0, 3e38L, kInfinity, kNaN};
  const Values y = results(aclnnSiluGetWorkspaceSize, aclnnSilu, ACL_FLOAT, x, ACL_FLOAT);
  EXPECT_TRUE(std::isnan(y[0]));
  const Values expected = {kNaN,
                           -0.0L,
                           -0.0L,
                           round_to(-100 / (1 + std::exp(100.0L)), ACL_FLOAT),
                           -0.0L,
                           0,
                           round_to(3e38L, ACL_FLOAT),
                           kInfinity};
  for (size_t i = 1; i < expected.size(); ++i) {
    EXPECT_EQ(y[i], expected[i]) << i;
    EXPECT_EQ(std::signbit(y[i]), std::signbit(expected[i])) << i;
  }
  EXPECT_TRUE(std::isnan(y[8]));
}

TEST_F(FunctionsTest, SiluBackwardHasLimitsAtTheInfinities) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    const Array g(dtype, {4}, {3, 3, 3, 3});
    const Array x(dtype, {4}, {-kInfinity, kInfinity, 0, kNaN});
    const Array out(dtype, {4});
    ASSERT_EQ(call(aclnnSiluBackwardGetWorkspaceSize, aclnnSiluBackward, g.tensor(), x.tensor(),
                   out.tensor()),
              0);
    EXPECT_EQ(out.get(0), 0);
    EXPECT_EQ(out.get(1), 3);
    EXPECT_EQ(out.get(2), 1.5L);
    EXPECT_TRUE(std::isnan(out.get(3)));
  }
}

// Near the root, where the two terms of the slope cancel.
TEST_F(FunctionsTest, SiluBackwardKeepsItsDigitsNearTheRoot) {
  Values x;
  for (int i = -50; i < 50; ++i) x.push_back(round_to(-1.2784645427610738L + i * 1e-6L, ACL_FLOAT));
  Array g(ACL_FLOAT, {100});
  Array self(ACL_FLOAT, {100});
  g.fill(Values(100, 1));
  self.fill(x);
  const Array out(ACL_FLOAT, {100});
  ASSERT_EQ(call(aclnnSiluBackwardGetWorkspaceSize, aclnnSiluBackward, g.tensor(), self.tensor(),
                 out.tensor()),
            0);
  for (int64_t i = 0; i < 100; ++i) {
    const long double at = self.get(i);
    const long double s = 1 / (1 + std::exp(-at));
    EXPECT_LE(ulp_error(out.get(i), s * (1 + at / (1 + std::exp(at))), ACL_FLOAT), 3) << at;
  }
}

TEST_F(FunctionsTest, SiluBackwardMixesAndBroadcastsOn950) {
  const Array g(ACL_FLOAT16, {2, 1}, {3, -5});
  const Array x(ACL_BF16, {2}, {0, 1});
  const Array out(ACL_FLOAT, {2, 2});
  const auto run = [&]() {
    return call(aclnnSiluBackwardGetWorkspaceSize, aclnnSiluBackward, g.tensor(), x.tensor(),
                out.tensor());
  };
  EXPECT_EQ(run(), 161002);
  ASSERT_EQ(aclgradSetSocName("Ascend950"), 0);
  ASSERT_EQ(run(), 0) << recent_message();
  const long double slope = 0.92767051187148673642L;
  const Values expected = {1.5L, 3 * slope, -2.5L, -5 * slope};
  for (int64_t i = 0; i < 4; ++i) {
    EXPECT_LE(ulp_error(out.get(i), expected[static_cast<size_t>(i)], ACL_FLOAT), 1);
  }
}

TEST_F(FunctionsTest, ReluKeepsIntegersZerosAndNan) {
  const auto relu = [&](aclDataType dtype, const Values& x) {
    Array self(dtype, {static_cast<int64_t>(x.size())});
    self.fill(x);
    EXPECT_EQ(call(aclnnInplaceReluGetWorkspaceSize, aclnnInplaceRelu, self.tensor()), 0);
    Values y;
    for (int64_t i = 0; i < self.count(); ++i) y.push_back(self.get(i));
    return y;
  };
  EXPECT_EQ(relu(ACL_INT64, {-5, 0, 1e15L}), (Values{0, 0, 1e15L}));
  EXPECT_EQ(relu(ACL_UINT8, {0, 7, 200}), (Values{0, 7, 200}));
  const Values y = relu(ACL_FLOAT, {-kInfinity, -0.0L, kInfinity, kNaN});
  EXPECT_EQ(y[0], 0);
  EXPECT_TRUE(y[1] == 0 && std::signbit(y[1]));
  EXPECT_EQ(y[2], kInfinity);
  EXPECT_TRUE(std::isnan(y[3]));
}

// The element that was taken has the gradient, a NaN too; one that was not has none; and a NaN in
// self stays, in vectors and at their ends.
TEST_F(FunctionsTest, BackwardsOfReluKeepNanOfTheSideThatCounts) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    Values g, x, of_relu, of_leaky;
    for (int i = 0; i < 37; ++i) {
      g.insert(g.end(), {2, kNaN, kNaN, 2, kInfinity});
      x.insert(x.end(), {kNaN, 1, -1, -1, -1});
      of_relu.insert(of_relu.end(), {kNaN, kNaN, 0, 0, 0});
      of_leaky.insert(of_leaky.end(), {kNaN, kNaN, kNaN, 1, kInfinity});
    }
    const auto count = static_cast<int64_t>(x.size());
    const Array gradient(dtype, {count}, {}, g), self(dtype, {count}, {}, x), out(dtype, {count});
    const Scalar zero(0.0f), half(0.5f);
    ASSERT_EQ(call(aclnnThresholdBackwardGetWorkspaceSize, aclnnThresholdBackward,
                   gradient.tensor(), self.tensor(), zero.get(), out.tensor()),
              0);
    for (int64_t i = 0; i < count; ++i) {
      EXPECT_TRUE(is_near(out.get(i), of_relu[static_cast<size_t>(i)], 0)) << i;
    }
    ASSERT_EQ(call(aclnnLeakyReluBackwardGetWorkspaceSize, aclnnLeakyReluBackward,
                   gradient.tensor(), self.tensor(), half.get(), false, out.tensor()),
              0);
    for (int64_t i = 0; i < count; ++i) {
      EXPECT_TRUE(is_near(out.get(i), of_leaky[static_cast<size_t>(i)], 0)) << i;
    }
  }
}

TEST_F(FunctionsTest, ThresholdsNearZeroCountAsZero) {
  const Array g(ACL_FLOAT, {4}, {1, 2, 3, 4});
  const Array x(ACL_FLOAT, {4}, {1e-8L, 0, -1, 1e-6L});
  const Array out(ACL_FLOAT, {4});
  for (const float threshold : {0.0f, 0x1p-23f, -0x1p-23f, 0x1p-22f}) {
    const Scalar limit(threshold);
    ASSERT_EQ(call(aclnnThresholdBackwardGetWorkspaceSize, aclnnThresholdBackward, g.tensor(),
                   x.tensor(), limit.get(), out.tensor()),
              0);
    EXPECT_EQ(out.get(0), threshold == 0x1p-22f ? 0 : 1) << threshold;
    EXPECT_EQ(out.get(1), 0);
    EXPECT_EQ(out.get(2), 0);
    EXPECT_EQ(out.get(3), 4);
  }
}

TEST_F(FunctionsTest, ThresholdBackwardOfInt64OnlyForReluOn950) {
  const Array g(ACL_INT64, {3}, {1e15L, 2, 3});
  const Array x(ACL_INT64, {3}, {1, 0, -1});
  const Array out(ACL_INT64, {3});
  const auto run = [&](float threshold) {
    const Scalar limit(threshold);
    return call(aclnnThresholdBackwardGetWorkspaceSize, aclnnThresholdBackward, g.tensor(),
                x.tensor(), limit.get(), out.tensor());
  };
  EXPECT_EQ(run(0), 161002);
  ASSERT_EQ(aclgradSetSocName("Ascend950"), 0);
  EXPECT_EQ(run(1), 161002);
  ASSERT_EQ(run(0), 0);
  EXPECT_EQ(out.get(0), 1e15L);
  EXPECT_EQ(out.get(1), 0);
  EXPECT_EQ(out.get(2), 0);
}

TEST_F(FunctionsTest, LeakyReluBackwardRoundsToTheCommonTypeFirst) {
  const Array g(ACL_FLOAT16, {2}, {3, 1});
  const Array x(ACL_FLOAT16, {2}, {1, -1});
  const Array out(ACL_DOUBLE, {2});
  const Scalar slope(0.1f);
  ASSERT_EQ(call(aclnnLeakyReluBackwardGetWorkspaceSize, aclnnLeakyReluBackward, g.tensor(),
                 x.tensor(), slope.get(), true, out.tensor()),
            0);
  EXPECT_EQ(out.get(0), 3);
  EXPECT_EQ(out.get(1), round_to(static_cast<long double>(0.1f), ACL_FLOAT16));
}

TEST_F(FunctionsTest, SoftplusFarOut) {
  const Array x(ACL_FLOAT, {5}, {-100, 80, 1000, kInfinity, kNaN});
  const Array out(ACL_FLOAT, {5});
  const Scalar beta(2.0f);
  for (const float limit : {20.0f, 3000.0f}) {
    const Scalar threshold(limit);
    ASSERT_EQ(call(aclnnSoftplusGetWorkspaceSize, aclnnSoftplus, x.tensor(), beta.get(),
                   threshold.get(), out.tensor()),
              0);
    EXPECT_EQ(out.get(0), round_to(std::exp(-200.0L) / 2, ACL_FLOAT));
    EXPECT_EQ(out.get(1), 80);
    EXPECT_EQ(out.get(2), 1000);
    EXPECT_EQ(out.get(3), kInfinity);
    EXPECT_TRUE(std::isnan(out.get(4)));
  }
}

TEST_F(FunctionsTest, SoftplusBackwardOfIntegersIsComputedInFloat) {
  const Array g(ACL_DOUBLE, {2}, {1, 1});
  const Array x(ACL_INT8, {2}, {-1, 30});
  const Array out(ACL_DOUBLE, {2});
  const Scalar beta(1.0f);
  const Scalar threshold(20.0f);
  ASSERT_EQ(call(aclnnSoftplusBackwardGetWorkspaceSize, aclnnSoftplusBackward, g.tensor(),
                 x.tensor(), beta.get(), threshold.get(), out.tensor()),
            0);
  EXPECT_EQ(out.get(0), round_to(1 / (1 + std::exp(1.0L)), ACL_FLOAT));
  EXPECT_EQ(out.get(1), 1);
}

TEST_F(FunctionsTest, NegOfTheLowestIntegerStays) {
  EXPECT_EQ(results(aclnnNegGetWorkspaceSize, aclnnNeg, ACL_INT8, {-128, 127, 0}, ACL_INT8),
            (Values{-128, -127, 0}));
  EXPECT_EQ(results(aclnnNegGetWorkspaceSize, aclnnNeg, ACL_FLOAT, {kInfinity, 2}, ACL_FLOAT16),
            (Values{-kInfinity, -2}));
}

}  // namespace
}  // namespace aclgrad::testing
