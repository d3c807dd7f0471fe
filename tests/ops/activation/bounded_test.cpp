// SPDX-License-Identifier: Apache-2.0
// What the rows of the case table do not have of sigmoid, SiLU, ReLU, leaky ReLU and softplus:
// mixed dtypes, special values, thresholds.
#include <cmath>
#include <complex>
#include <limits>

#include "aclnnop/aclnn_hardsigmoid_backward.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "aclnnop/aclnn_logit.h"
#include "aclnnop/aclnn_logit_grad.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_sigmoid_backward.h"
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "aclnnop/aclnn_softplus.h"
#include "aclnnop/aclnn_softplus_backward.h"
#include "aclnnop/aclnn_threshold_backward.h"
#include "tests/ops/support/elementwise.h"

namespace aclgrad::testing {
namespace {

class BoundedActivations : public ElementwiseTest {};

TEST_F(BoundedActivations, SigmoidBackwardPromotes) {
  const Array g(ACL_FLOAT16, {2, 1}, {3, -5});
  const Array y(ACL_BF16, {2}, {0.25L, 0.5L});
  const Array out(ACL_FLOAT, {2, 2});
  ASSERT_TRUE(runs(PHASES(aclnnSigmoidBackward), g, y, out));
  EXPECT_EQ(out.values(), (Values{0.5625L, 0.75L, -0.9375L, -1.25L}));
}

// The bounds are numbers of the dtype, as PyTorch's are, and an element on one is within.
TEST_F(BoundedActivations, LogitIsBoundedByNumbersOfItsDtype) {
  const auto slopes = [&](aclDataType dtype, const Values& x, double eps) {
    const auto count = static_cast<int64_t>(x.size());
    const Array self(dtype, {count}, {}, x), g(dtype, {count}, {}, Values(x.size(), 1));
    const Array out(dtype, {count});
    EXPECT_TRUE(runs(PHASES(aclnnLogitGrad), self, g, eps, out));
    return out.values();
  };
  const auto low = static_cast<long double>(1e-6F), high = static_cast<long double>(1 - 1e-6F);
  const Values of_float = slopes(ACL_FLOAT, {low, high, std::nextafter(1e-6F, 0.0F), 1}, 1e-6);
  EXPECT_NEAR(static_cast<double>(of_float[0]), 1000001, 1);
  EXPECT_NEAR(static_cast<double>(of_float[1]), 1 / (1 - static_cast<double>(high)), 4);
  EXPECT_EQ(of_float[2], 0);
  EXPECT_EQ(of_float[3], 0);
  // In DOUBLE 1e-6f lies below 1e-6.
  EXPECT_EQ(slopes(ACL_DOUBLE, {low}, 1e-6)[0], 0);
  EXPECT_NE(slopes(ACL_DOUBLE, {static_cast<long double>(1e-6)}, 1e-6)[0], 0);
  const Array self(ACL_FLOAT, {1}, {}, {1}), out(ACL_FLOAT, {1});
  ASSERT_TRUE(runs(PHASES(aclnnLogit), self, 1e-6, out));
  EXPECT_NEAR(static_cast<double>(out.get(0)), std::log(static_cast<double>(high / (1 - high))),
              1e-5);
}

TEST_F(BoundedActivations, HardsigmoidHasNoSlopeAtNaN) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE}) {
    const Array g(dtype, {4}, {}, {6, 6, 6, kNaN}), x(dtype, {4}, {}, {kNaN, 1, 3, 0});
    const Array out(dtype, {4});
    ASSERT_TRUE(runs(PHASES(aclnnHardsigmoidBackward), g, x, out));
    expect_same(out, {0, 1, 0, kNaN});
  }
}

TEST_F(BoundedActivations, SiluAtSpecialValues) {
  const Values x = {-kInfinity, -3e38L, -200, -100, -0.0L, 0, 3e38L, kInfinity, kNaN};
  const Values y = results(aclnnSiluGetWorkspaceSize, aclnnSilu, ACL_FLOAT, x, ACL_FLOAT);
  const long double at_minus_100 = round_to(-100 / (1 + std::exp(100.0L)), ACL_FLOAT);
  expect_same(
      y, {kNaN, -0.0L, -0.0L, at_minus_100, -0.0L, 0, round_to(3e38L, ACL_FLOAT), kInfinity, kNaN});
}

TEST_F(BoundedActivations, SiluBackwardHasLimitsAtTheInfinities) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    const Array g(dtype, {4}, {3, 3, 3, 3});
    const Array x(dtype, {4}, {-kInfinity, kInfinity, 0, kNaN});
    const Array out(dtype, {4});
    ASSERT_TRUE(runs(PHASES(aclnnSiluBackward), g, x, out));
    expect_near(out, {0, 3, 1.5L, kNaN}, 0);
  }
}

// Near the root, where the two terms of the slope cancel.
TEST_F(BoundedActivations, SiluBackwardKeepsItsDigitsNearTheRoot) {
  Values x;
  for (int i = -50; i < 50; ++i) x.push_back(round_to(-1.2784645427610738L + i * 1e-6L, ACL_FLOAT));
  const Array g(ACL_FLOAT, {100}, {}, Values(100, 1)), self(ACL_FLOAT, {100}, {}, x);
  const Array out(ACL_FLOAT, {100});
  ASSERT_TRUE(runs(PHASES(aclnnSiluBackward), g, self, out));
  for (int64_t i = 0; i < 100; ++i) {
    const long double at = self.get(i);
    const long double s = 1 / (1 + std::exp(-at));
    EXPECT_LE(ulp_error(out.get(i), s * (1 + at / (1 + std::exp(at))), ACL_FLOAT), 3) << at;
  }
}

TEST_F(BoundedActivations, SiluBackwardMixesAndBroadcastsOn950) {
  const Array g(ACL_FLOAT16, {2, 1}, {3, -5});
  const Array x(ACL_BF16, {2}, {0, 1});
  const Array out(ACL_FLOAT, {2, 2});
  const auto run = [&]() { return call(PHASES(aclnnSiluBackward), g, x, out); };
  EXPECT_EQ(run(), 161002);
  ASSERT_EQ(aclgradSetSocName("Ascend950"), 0);
  ASSERT_EQ(run(), 0) << recent_message();
  const long double slope = 0.92767051187148673642L;
  expect_near(out.values(), {1.5L, 3 * slope, -2.5L, -5 * slope}, ACL_FLOAT, 1);
}

TEST_F(BoundedActivations, ReluKeepsIntegersZerosAndNan) {
  const auto relu = [&](aclDataType dtype, const Values& x) {
    const Array self(dtype, {static_cast<int64_t>(x.size())}, {}, x);
    EXPECT_TRUE(runs(PHASES(aclnnInplaceRelu), self));
    return self.values();
  };
  EXPECT_EQ(relu(ACL_INT64, {-5, 0, 1e15L}), (Values{0, 0, 1e15L}));
  EXPECT_EQ(relu(ACL_UINT8, {0, 7, 200}), (Values{0, 7, 200}));
  expect_same(relu(ACL_FLOAT, {-kInfinity, -0.0L, kInfinity, kNaN}), {0, -0.0L, kInfinity, kNaN});
}

// The element that was taken has the gradient, a NaN too; one that was not has none; and a NaN in
// self stays, in vectors and at their ends.
TEST_F(BoundedActivations, BackwardsOfReluKeepNanOfTheSideThatCounts) {
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
    ASSERT_TRUE(runs(PHASES(aclnnThresholdBackward), gradient, self, zero, out));
    expect_same(out, of_relu);
    ASSERT_TRUE(runs(PHASES(aclnnLeakyReluBackward), gradient, self, half, false, out));
    expect_same(out, of_leaky);
  }
}

TEST_F(BoundedActivations, ThresholdsNearZeroCountAsZero) {
  const Array g(ACL_FLOAT, {4}, {1, 2, 3, 4});
  const Array x(ACL_FLOAT, {4}, {1e-8L, 0, -1, 1e-6L});
  const Array out(ACL_FLOAT, {4});
  for (const float threshold : {0.0f, 0x1p-23f, -0x1p-23f, 0x1p-22f}) {
    const Scalar limit(threshold);
    ASSERT_TRUE(runs(PHASES(aclnnThresholdBackward), g, x, limit, out));
    EXPECT_EQ(out.values(), (Values{threshold == 0x1p-22f ? 0.0L : 1.0L, 0, 0, 4})) << threshold;
  }
}

TEST_F(BoundedActivations, ThresholdBackwardOfInt64OnlyForReluOn950) {
  const Array g(ACL_INT64, {3}, {1e15L, 2, 3});
  const Array x(ACL_INT64, {3}, {1, 0, -1});
  const Array out(ACL_INT64, {3});
  const auto run = [&](float threshold) {
    const Scalar limit(threshold);
    return call(PHASES(aclnnThresholdBackward), g, x, limit, out);
  };
  EXPECT_EQ(run(0), 161002);
  ASSERT_EQ(aclgradSetSocName("Ascend950"), 0);
  EXPECT_EQ(run(1), 161002);
  ASSERT_EQ(run(0), 0);
  EXPECT_EQ(out.values(), (Values{1e15L, 0, 0}));
}

TEST_F(BoundedActivations, LeakyReluBackwardRoundsToTheCommonTypeFirst) {
  const Array g(ACL_FLOAT16, {2}, {3, 1});
  const Array x(ACL_FLOAT16, {2}, {1, -1});
  const Array out(ACL_DOUBLE, {2});
  const Scalar slope(0.1f);
  ASSERT_TRUE(runs(PHASES(aclnnLeakyReluBackward), g, x, slope, true, out));
  EXPECT_EQ(out.get(0), 3);
  EXPECT_EQ(out.get(1), round_to(static_cast<long double>(0.1f), ACL_FLOAT16));
}

TEST_F(BoundedActivations, SoftplusFarOut) {
  const Array x(ACL_FLOAT, {5}, {-100, 80, 1000, kInfinity, kNaN});
  const Array out(ACL_FLOAT, {5});
  const Scalar beta(2.0f);
  for (const float limit : {20.0f, 3000.0f}) {
    const Scalar threshold(limit);
    ASSERT_TRUE(runs(PHASES(aclnnSoftplus), x, beta, threshold, out));
    expect_same(out, {round_to(std::exp(-200.0L) / 2, ACL_FLOAT), 80, 1000, kInfinity, kNaN});
  }
}

TEST_F(BoundedActivations, SoftplusBackwardOfIntegersIsComputedInFloat) {
  const Array g(ACL_DOUBLE, {2}, {1, 1});
  const Array x(ACL_INT8, {2}, {-1, 30});
  const Array out(ACL_DOUBLE, {2});
  const Scalar beta(1.0f);
  const Scalar threshold(20.0f);
  ASSERT_TRUE(runs(PHASES(aclnnSoftplusBackward), g, x, beta, threshold, out));
  EXPECT_EQ(out.get(0), round_to(1 / (1 + std::exp(1.0L)), ACL_FLOAT));
  EXPECT_EQ(out.get(1), 1);
}

}  // namespace
}  // namespace aclgrad::testing
