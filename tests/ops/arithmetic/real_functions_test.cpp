// SPDX-License-Identifier: Apache-2.0
// Functions of real numbers beside PyTorch's and NumPy's results: special values, signs of zeros,
// integers, and what is computed in which dtype.
#include <cmath>
#include <complex>
#include <limits>

#include "aclnnop/aclnn_acos.h"
#include "aclnnop/aclnn_acosh.h"
#include "aclnnop/aclnn_add_relu.h"
#include "aclnnop/aclnn_asin.h"
#include "aclnnop/aclnn_asinh.h"
#include "aclnnop/aclnn_atan.h"
#include "aclnnop/aclnn_atan2.h"
#include "aclnnop/aclnn_atanh.h"
#include "aclnnop/aclnn_cosh.h"
#include "aclnnop/aclnn_digamma.h"
#include "aclnnop/aclnn_erfc.h"
#include "aclnnop/aclnn_erfinv.h"
#include "aclnnop/aclnn_exp2.h"
#include "aclnnop/aclnn_expm1.h"
#include "aclnnop/aclnn_heaviside.h"
#include "aclnnop/aclnn_lerp.h"
#include "aclnnop/aclnn_lgamma.h"
#include "aclnnop/aclnn_log10.h"
#include "aclnnop/aclnn_log1p.h"
#include "aclnnop/aclnn_log2.h"
#include "aclnnop/aclnn_logaddexp.h"
#include "aclnnop/aclnn_logaddexp2.h"
#include "aclnnop/aclnn_pow.h"
#include "aclnnop/aclnn_pow_tensor_tensor.h"
#include "aclnnop/aclnn_real.h"
#include "aclnnop/aclnn_rsub.h"
#include "aclnnop/aclnn_sinc.h"
#include "aclnnop/aclnn_sinh.h"
#include "aclnnop/aclnn_square.h"
#include "aclnnop/aclnn_tan.h"
#include "tests/ops/support/elementwise.h"

namespace aclgrad::testing::real_functions {
namespace {

constexpr long double kNan = std::numeric_limits<long double>::quiet_NaN();

struct Row {
  const char* name;
  Plan phase_one;
  Start phase_two;
  std::vector<double> x;
  std::vector<double> y;  // PyTorch 1.13 in float64
};

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

#define ACLGRAD_ROW(Name, ...) \
  { #Name, aclnn##Name##GetWorkspaceSize, aclnn##Name, __VA_ARGS__ }

const Row kRows[] = {
    ACLGRAD_ROW(Acos, {1, -1, 0.3, 1.5, -kInf},
                {0, 3.141592653589793, 1.2661036727794992, kNone, kNone}),
    ACLGRAD_ROW(Acosh, {1, 1.5, 40, 0.5, kInf},
                {0, 0.9624236501192069, 4.381870348040067, kNone, kInf}),
    ACLGRAD_ROW(Asin, {-0.0, 0.3, -1, 1.5, -kInf},
                {-0.0, 0.30469265401539747, -1.5707963267948966, kNone, kNone}),
    ACLGRAD_ROW(Asinh, {-0.0, 0.3, -1e20, kInf, -kInf},
                {-0.0, 0.29567304756342244, -46.74484904044086, kInf, -kInf}),
    ACLGRAD_ROW(
        Atan, {-0.0, 0.3, -1e20, kInf, -kInf},
        {-0.0, 0.2914567944778671, -1.5707963267948966, 1.5707963267948966, -1.5707963267948966}),
    ACLGRAD_ROW(Atanh, {-0.0, 0.3, -1, 1, 1.5}, {-0.0, 0.30951960420311175, -kInf, kInf, kNone}),
    ACLGRAD_ROW(Cosh, {0, 0.3, -20, kInf, -kInf},
                {1, 1.0453385141288605, 242582597.70489514, kInf, kInf}),
    ACLGRAD_ROW(Erfc, {0.3, -0.3, 5, kInf, -kInf},
                {0.6713732405408726, 1.3286267594591274, 1.537459794428035e-12, 0, 2}),
    ACLGRAD_ROW(Erfinv, {-0.0, 0.3, -1, 1, 1.5}, {-0.0, 0.2724627147267544, -kInf, kInf, kNone}),
    ACLGRAD_ROW(Exp2, {3, -0.3, -1074, kInf, -kInf}, {8, 0.8122523963562356, 5e-324, kInf, 0}),
    ACLGRAD_ROW(Expm1, {-0.0, 1e-20, 0.3, kInf, -kInf},
                {-0.0, 1e-20, 0.3498588075760031, kInf, -1}),
    ACLGRAD_ROW(Log10, {1000, 0.3, 0, -1, kInf}, {3, -0.5228787452803376, -kInf, kNone, kInf}),
    ACLGRAD_ROW(Log1p, {-0.0, 1e-20, -1, -2, kInf}, {-0.0, 1e-20, -kInf, kNone, kInf}),
    ACLGRAD_ROW(Log2, {1024, 0.3, 0, -1, kInf}, {10, -1.7369655941662063, -kInf, kNone, kInf}),
    ACLGRAD_ROW(
        Sinc, {0, 0.3, -1.25, 7.5, 0.5},
        {1, 0.8583936913341398, -0.18006326323142122, -0.04244131815783876, 0.6366197723675814}),
    ACLGRAD_ROW(Sinh, {-0.0, 0.3, -20, kInf, -kInf},
                {-0.0, 0.3045202934471426, -242582597.70489514, kInf, -kInf}),
    ACLGRAD_ROW(Tan, {-0.0, 0.3, 20, kInf, -kInf},
                {-0.0, 0.30933624960962325, 2.237160944224742, kNone, kNone}),
    ACLGRAD_ROW(Lgamma, {0, -3, 0.3, -kInf, kInf}, {kInf, kInf, 1.0957979948180756, kInf, kInf}),
    ACLGRAD_ROW(Digamma, {0.0, -0.0, -3, 0.3, -4.3},
                {-kInf, kInf, kNone, -3.502524222200133, 3.8529116001270096}),
};

class RealFunctionsTest : public ElementwiseTest {
 protected:
  // The result of a call with these arguments before the output.
  template <class PhaseOne, class PhaseTwo, class... Argument>
  Values result(PhaseOne phase_one, PhaseTwo phase_two, aclDataType dtype, int64_t count,
                const Argument&... arguments) {
    const Array out(dtype, {count});
    EXPECT_TRUE(runs(phase_one, phase_two, arguments..., out));
    return out.values();
  }
  static void expect_same(const Values& actual, const Values& expected, double ulp = 0) {
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      if (std::isnan(expected[i])) {
        EXPECT_TRUE(std::isnan(actual[i])) << i << ": " << actual[i];
        continue;
      }
      EXPECT_LE(ulp_error(actual[i], expected[i], ACL_DOUBLE), ulp) << i << ": " << actual[i];
      EXPECT_EQ(std::signbit(actual[i]), std::signbit(expected[i])) << i << ": " << actual[i];
    }
  }
};

TEST_F(RealFunctionsTest, AreAsInPyTorchAtSpecialValuesAndElsewhere) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.name);
    const Values x(row.x.begin(), row.x.end());
    const Values y(row.y.begin(), row.y.end());
    expect_same(results(row.phase_one, row.phase_two, ACL_DOUBLE, x, ACL_DOUBLE), y, 8);
    const Values nan = results(row.phase_one, row.phase_two, ACL_DOUBLE, {kNan}, ACL_DOUBLE);
    EXPECT_TRUE(std::isnan(nan[0]));
  }
}

TEST_F(RealFunctionsTest, IntegersAreComputedInFloatAndForADoubleInDouble) {
  // 2^24 + 1 is no FLOAT.
  const Values x = {16777217};
  const auto log_of = [&](aclDataType to) {
    return results(aclnnLog2GetWorkspaceSize, aclnnLog2, ACL_INT64, x, to)[0];
  };
  EXPECT_EQ(log_of(ACL_FLOAT), 24);
  expect_near({log_of(ACL_DOUBLE)}, {std::log2(16777217.0L)}, ACL_DOUBLE, 1);
  EXPECT_EQ(results(aclnnSinhGetWorkspaceSize, aclnnSinh, ACL_BOOL, {0, 1}, ACL_FLOAT)[1],
            round_to(std::sinh(1.0L), ACL_FLOAT));
}

TEST_F(RealFunctionsTest, SquaresOfIntegersWrapAndRealPartsAreCopied) {
  EXPECT_EQ(results(aclnnSquareGetWorkspaceSize, aclnnSquare, ACL_INT8, {12, -3}, ACL_INT8),
            (Values{-112, 9}));
  Array self(ACL_COMPLEX64, {2});
  const std::complex<float> numbers[] = {{1.5F, -2}, {-0.0F, 7}};
  std::memcpy(self.data(), numbers, sizeof(numbers));
  const Values parts = result(aclnnRealGetWorkspaceSize, aclnnReal, ACL_FLOAT, 2, self);
  expect_same(parts, {1.5L, -0.0L});
  expect_same(results(aclnnRealGetWorkspaceSize, aclnnReal, ACL_FLOAT, {kNan, -0.0L, 3}, ACL_FLOAT),
              {kNan, -0.0L, 3});
}

TEST_F(RealFunctionsTest, AnglesAreAsInPyTorch) {
  const Array y(ACL_DOUBLE, {8}, {}, {0, -0.0L, -0.0L, 1, kInfinity, kInfinity, -1, kNan});
  const Array x(ACL_DOUBLE, {8}, {}, {-0.0L, -0.0L, 0, 0, kInfinity, -kInfinity, -3, 1});
  expect_same(result(aclnnAtan2GetWorkspaceSize, aclnnAtan2, ACL_DOUBLE, 8, y, x),
              {3.141592653589793, -3.141592653589793, -0.0, 1.5707963267948966, 0.7853981633974483,
               2.356194490192345, -2.819842099193151, kNan},
              1);
  const Array signs(ACL_INT32, {2}, {}, {1, -1}), ones(ACL_INT32, {2}, {}, {1, 1});
  EXPECT_EQ(result(aclnnAtan2GetWorkspaceSize, aclnnAtan2, ACL_FLOAT, 2, signs, ones)[1],
            round_to(-0.785398163397448309616L, ACL_FLOAT));
}

TEST_F(RealFunctionsTest, LogarithmsOfSumsDoNotOverflowAndKeepInfinities) {
  const Array x(ACL_DOUBLE, {7}, {},
                {kInfinity, -kInfinity, kInfinity, -kInfinity, 1000, -1000, 2});
  const Array y(ACL_DOUBLE, {7}, {}, {kInfinity, -kInfinity, -kInfinity, 3, 1000, -1001.5L, 5});
  expect_same(result(aclnnLogAddExpGetWorkspaceSize, aclnnLogAddExp, ACL_DOUBLE, 7, x, y),
              {kInfinity, -kInfinity, kInfinity, 3, 1000.6931471805599, -999.7985867220173,
               5.048587351573742},
              2);
  expect_same(result(aclnnLogAddExp2GetWorkspaceSize, aclnnLogAddExp2, ACL_DOUBLE, 7, x, y),
              {kInfinity, -kInfinity, kInfinity, 3, 1001, -999.5632482045602, 5.169925001442312},
              2);
  const Array nan(ACL_DOUBLE, {2}, {}, {kNan, kNan}), other(ACL_DOUBLE, {2}, {}, {kInfinity, 1});
  expect_same(result(aclnnLogAddExpGetWorkspaceSize, aclnnLogAddExp, ACL_DOUBLE, 2, other, nan),
              {kNan, kNan});
}

TEST_F(RealFunctionsTest, StepsAreNumPys) {
  const Array x(ACL_DOUBLE, {6}, {}, {-2, 0, -0.0L, 3, kNan, 0});
  const Array values(ACL_DOUBLE, {6}, {}, {5, 5, 6, 5, 5, kNan});
  expect_same(result(aclnnHeavisideGetWorkspaceSize, aclnnHeaviside, ACL_DOUBLE, 6, x, values),
              {0, 5, 6, 1, kNan, kNan});
  const Array whole(ACL_INT32, {3}, {}, {-7, 0, 9}), at_zero(ACL_INT32, {3}, {}, {4, 4, 4});
  expect_same(result(aclnnHeavisideGetWorkspaceSize, aclnnHeaviside, ACL_INT32, 3, whole, at_zero),
              {0, 4, 1});
}

TEST_F(RealFunctionsTest, PowersOfANumberAreAsInPyTorch) {
  const auto of_doubles = [&](double base, const Values& exponents) {
    const auto count = static_cast<int64_t>(exponents.size());
    return result(aclnnPowScalarTensorGetWorkspaceSize, aclnnPowScalarTensor, ACL_DOUBLE, count,
                  Scalar(base), Array(ACL_DOUBLE, {count}, {}, exponents));
  };
  expect_same(of_doubles(-2, {0.5L, 2, 3, -kInfinity, kInfinity}), {kNan, 4, -8, 0, kInfinity});
  expect_same(of_doubles(0, {-1, 0, kNan}), {kInfinity, 1, kNan});
  expect_same(of_doubles(1, {kNan, kInfinity}), {1, 1});
  const Array whole(ACL_INT32, {4}, {}, {3, 2, 0, -1});
  expect_same(result(aclnnPowScalarTensorGetWorkspaceSize, aclnnPowScalarTensor, ACL_INT32, 4,
                     Scalar(int32_t{3}), whole),
              {27, 9, 1, 0});
  // A FLOAT beside DOUBLE, and a result in DOUBLE of a FLOAT.
  const Array third(ACL_FLOAT, {1}, {}, {1.5L});
  expect_near(result(aclnnPowScalarTensorGetWorkspaceSize, aclnnPowScalarTensor, ACL_DOUBLE, 1,
                     Scalar(3.0F), third),
              {std::pow(3.0L, 1.5L)}, ACL_DOUBLE, 2);
}

TEST_F(RealFunctionsTest, PowersOverwriteTheirBase) {
  const Array self(ACL_INT32, {2, 2}, {}, {2, 3, -1, 4});
  const Array exponent(ACL_INT32, {2}, {}, {3, -1});
  EXPECT_TRUE(runs(aclnnInplacePowTensorTensorGetWorkspaceSize, aclnnInplacePowTensorTensor, self,
                   exponent));
  EXPECT_EQ(self.values(), (Values{8, 0, -1, 0}));
}

TEST_F(RealFunctionsTest, SubtractionsFromWrapInIntegers) {
  const Array self(ACL_INT8, {3}, {}, {100, 2, -128});
  const Array other(ACL_INT8, {3}, {}, {10, 10, 10});
  EXPECT_EQ(
      result(aclnnRsubGetWorkspaceSize, aclnnRsub, ACL_INT8, 3, self, other, Scalar(int64_t{3})),
      (Values{-34, 4, -118}));
  EXPECT_EQ(result(aclnnRsubsGetWorkspaceSize, aclnnRsubs, ACL_INT8, 3, self, Scalar(int64_t{10}),
                   Scalar(int64_t{3})),
            (Values{-34, 4, -118}));
}

TEST_F(RealFunctionsTest, SumsAreCutOffAtZeroAsTheDtypeHasThem) {
  const Array x(ACL_INT8, {3}, {}, {100, 2, -100}), y(ACL_INT8, {3}, {}, {10, -1, -20});
  EXPECT_EQ(
      result(aclnnAddReluGetWorkspaceSize, aclnnAddRelu, ACL_INT8, 3, x, y, Scalar(int64_t{3})),
      (Values{0, 0, 96}));  // 130 and -160 wrap
  const Array small(ACL_UINT8, {2}, {}, {1, 9}), more(ACL_UINT8, {2}, {}, {3, 3});
  EXPECT_EQ(result(aclnnAddReluGetWorkspaceSize, aclnnAddRelu, ACL_UINT8, 2, small, more,
                   Scalar(int64_t{-3})),
            (Values{248, 0}));
  const Array real(ACL_FLOAT, {4}, {}, {kNan, 1, -0.5L, kInfinity});
  const Array other(ACL_FLOAT, {4}, {}, {1, -4, 2, 1});
  EXPECT_TRUE(
      runs(aclnnInplaceAddReluGetWorkspaceSize, aclnnInplaceAddRelu, real, other, Scalar(0.5F)));
  expect_same(real.values(), {kNan, 0, 0.5L, kInfinity});
}

TEST_F(RealFunctionsTest, TheEndOfAWayIsReachedExactly) {
  const Array self(ACL_DOUBLE, {3}, {}, {1e16L, -0.7L, 3}),
      end(ACL_DOUBLE, {3}, {}, {0.1L, 0.3L, 7});
  const Array all(ACL_DOUBLE, {1}, {}, {1}), none(ACL_DOUBLE, {1}, {}, {0});
  EXPECT_EQ(result(aclnnLerpGetWorkspaceSize, aclnnLerp, ACL_DOUBLE, 3, self, end, all),
            end.values());
  EXPECT_EQ(result(aclnnLerpGetWorkspaceSize, aclnnLerp, ACL_DOUBLE, 3, self, end, none),
            self.values());
  EXPECT_TRUE(runs(aclnnInplaceLerpsGetWorkspaceSize, aclnnInplaceLerps, self, end, Scalar(0.25F)));
  EXPECT_EQ(self.values()[2], 4);
}

}  // namespace
}  // namespace aclgrad::testing::real_functions
