// SPDX-License-Identifier: Apache-2.0
// What the rows of the case table do not have of the elementwise functions: integers, complex
// numbers, mixed dtypes and special values.
#include <cmath>
#include <complex>
#include <limits>

#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_log.h"
#include "aclnnop/aclnn_neg.h"
#include "aclnnop/aclnn_reciprocal.h"
#include "aclnnop/aclnn_rsqrt.h"
#include "aclnnop/aclnn_sigmoid.h"
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_sin.h"
#include "aclnnop/aclnn_sqrt.h"
#include "aclnnop/aclnn_tanh.h"
#include "tests/ops/support/elementwise.h"

namespace aclgrad::testing {
namespace {

class FunctionsTest : public ElementwiseTest {};

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
    ASSERT_TRUE(runs(phase_one, phase_two, self, out));
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

TEST_F(FunctionsTest, NegOfTheLowestIntegerStays) {
  EXPECT_EQ(results(aclnnNegGetWorkspaceSize, aclnnNeg, ACL_INT8, {-128, 127, 0}, ACL_INT8),
            (Values{-128, -127, 0}));
  EXPECT_EQ(results(aclnnNegGetWorkspaceSize, aclnnNeg, ACL_FLOAT, {kInfinity, 2}, ACL_FLOAT16),
            (Values{-kInfinity, -2}));
}

}  // namespace
}  // namespace aclgrad::testing
