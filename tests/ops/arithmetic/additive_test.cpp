// SPDX-License-Identifier: Apache-2.0
// aclnnAdd, aclnnSub and their in-place and scalar forms.
#include <map>

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_sub.h"
#include "tests/ops/support/arithmetic_cases.h"

namespace aclgrad::testing {
namespace {

using TensorPhaseOne = decltype(&aclnnAddGetWorkspaceSize);
using ScalarPhaseOne = decltype(&aclnnAddsGetWorkspaceSize);
using PhaseTwo = decltype(&aclnnAdd);

struct Family {
  const char* name;
  TensorPhaseOne plan;
  PhaseTwo run;
  ScalarPhaseOne plan_scalar;
  PhaseTwo run_scalar;
  long double sign;
};

class AdditiveTest : public AclTest, public ::testing::WithParamInterface<Family> {
 protected:
  aclnnStatus apply(const Array& self, const Array& other, const Scalar& alpha, Array& out) {
    return call(GetParam().plan, GetParam().run, self, other, alpha, out);
  }
  aclnnStatus apply(const Array& self, const Scalar& other, const Scalar& alpha, Array& out) {
    return call(GetParam().plan_scalar, GetParam().run_scalar, self, other, alpha, out);
  }
  long double sign() const { return GetParam().sign; }
  std::string name(const char* suffix = "") const {
    return std::string("aclnn") + GetParam().name + suffix;
  }
};

INSTANTIATE_TEST_SUITE_P(, AdditiveTest,
                         ::testing::Values(Family{"Add", aclnnAddGetWorkspaceSize, aclnnAdd,
                                                  aclnnAddsGetWorkspaceSize, aclnnAdds, 1},
                                           Family{"Sub", aclnnSubGetWorkspaceSize, aclnnSub,
                                                  aclnnSubsGetWorkspaceSize, aclnnSubs, -1}),
                         [](const auto& each) { return std::string(each.param.name); });

TEST_P(AdditiveTest, DoubleIsRoundedOnce) {
  const Array self = random_array(ACL_DOUBLE, {50}, LayoutKind::kContiguous, 1);
  const Array other = random_array(ACL_DOUBLE, {50}, LayoutKind::kContiguous, 2);
  Array out(ACL_DOUBLE, {50});
  ASSERT_EQ(apply(self, other, Scalar(0.1), out), 0);
  for (int64_t i = 0; i < 50; ++i) {
    const double expected =
        std::fma(static_cast<double>(sign()) * 0.1, static_cast<double>(other.get(i)),
                 static_cast<double>(self.get(i)));
    ASSERT_EQ(out.get(i), static_cast<long double>(expected));
  }
}

TEST_P(AdditiveTest, HardCasesOfRoundingComeOutRight) {
  // alpha * other is 64 - 2^-40, which brings self next to, but not on, the middle between two
  // FLOATs; a double sees the middle itself, and rounding that again would go the wrong way.
  const long double self_value = std::ldexp(1.0L, 30) + 128;
  const long double tiny = std::ldexp(1.0L, -23);
  const Array self(ACL_FLOAT, {1}, {self_value});
  const Array other(ACL_FLOAT, {1}, {8 * (1 - tiny)});
  Array out(ACL_FLOAT, {1});
  ASSERT_EQ(apply(self, other, Scalar(static_cast<float>(8 * (1 + tiny))), out), 0);
  EXPECT_EQ(out.get(0), self_value);
}

TEST_P(AdditiveTest, IntegersWrap) {
  for (const IntegerType& type : kIntegerTypes) {
    const Values self{type.low, type.high, 5, 0, type.high};
    const Values other{3, type.high, 7, 2, type.low};
    for (int32_t alpha : {1, 3, -2}) {
      Array a(type.dtype, {5}), b(type.dtype, {5}), out(type.dtype, {5});
      a.fill(self);
      b.fill(other);
      ASSERT_EQ(apply(a, b, Scalar(alpha), out), 0) << recent_message();
      for (int64_t i = 0; i < 5; ++i) {
        const int64_t factor = static_cast<int64_t>(sign()) * alpha;
        const uint64_t sum = type.exact(a, i) + static_cast<uint64_t>(factor) * type.exact(b, i);
        EXPECT_EQ(type.exact(out, i), type.wrap(sum)) << type.dtype << " element " << i;
      }
    }
  }
}

TEST_P(AdditiveTest, BoolsAreOrAndDifference) {
  const Array self(ACL_BOOL, {4}, {0, 0, 1, 1});
  const Array other(ACL_BOOL, {4}, {0, 1, 0, 1});
  Array out(ACL_BOOL, {4});
  ASSERT_EQ(apply(self, other, Scalar(true), out), 0);
  EXPECT_EQ(out.values(), sign() > 0 ? (Values{0, 1, 1, 1}) : (Values{0, 1, 1, 0}));
  ASSERT_EQ(apply(self, other, Scalar(int32_t{2}), out), 0);
  EXPECT_EQ(out.values(), sign() > 0 ? (Values{0, 1, 1, 1}) : (Values{0, 1, 1, 0}));
  ASSERT_EQ(apply(self, other, Scalar(false), out), 0);
  EXPECT_EQ(out.values(), (Values{0, 0, 1, 1}));
}

TEST_P(AdditiveTest, ComplexNumbers) {
  ComplexArray self(ACL_COMPLEX64, {2}), other(ACL_COMPLEX64, {2}), out(ACL_COMPLEX64, {2});
  self.set({{1, 2}, {3, -4}});
  other.set({{5, 6}, {-7, 8}});
  ASSERT_EQ(apply(self.array, other.array, Scalar(0.0f, 2.0f), out.array), 0) << recent_message();
  const auto s = static_cast<double>(sign());
  const std::complex<double> alpha(0, 2 * s);
  EXPECT_EQ(out.get(0), std::complex<double>(1, 2) + alpha * std::complex<double>(5, 6));
  EXPECT_EQ(out.get(1), std::complex<double>(3, -4) + alpha * std::complex<double>(-7, 8));

  // A real factor of an infinity brings no NaN.
  other.set({{std::numeric_limits<double>::infinity(), 1}, {0, 0}});
  ASSERT_EQ(apply(self.array, other.array, Scalar(1.0f), out.array), 0);
  EXPECT_EQ(out.get(0).real(), s * std::numeric_limits<double>::infinity());
  EXPECT_EQ(out.get(0).imag(), 2 + s);
}

TEST_P(AdditiveTest, ComputesInThePromotedTypeAndConvertsToTheOutput) {
  // INT8 with UINT8 is INT16; FLOAT16 with INT32 is FLOAT16, whatever the output.
  const Array small(ACL_INT8, {1}, {-100});
  const Array large(ACL_UINT8, {1}, {200});
  Array wide(ACL_INT32, {1});
  ASSERT_EQ(apply(small, large, Scalar(int32_t{1}), wide), 0);
  EXPECT_EQ(wide.get(0), -100 + sign() * 200);

  const Array half(ACL_FLOAT16, {1}, {1});
  const Array integer(ACL_INT32, {1}, {4096});
  Array real(ACL_FLOAT, {1});
  ASSERT_EQ(apply(half, integer, Scalar(1.0f), real), 0);
  EXPECT_EQ(real.get(0), round_to(1 + sign() * 4096, ACL_FLOAT16));
}

TEST_P(AdditiveTest, ScalarsAreAddedInTheRightType) {
  Array real(ACL_FLOAT, {2}, {1, 2});
  Array out(ACL_FLOAT, {2});
  ASSERT_EQ(apply(real, Scalar(0.1), Scalar(2.0f), out), 0);
  const auto tenth = static_cast<long double>(0.1f);
  for (int64_t i = 0; i < 2; ++i) {
    EXPECT_EQ(out.get(i), round_to(real.get(i) + sign() * 2 * tenth, ACL_FLOAT));
  }
  Array integers(ACL_INT32, {2}, {1, 2});
  ASSERT_EQ(apply(integers, Scalar(0.5), Scalar(1.0f), out), 0) << recent_message();
  EXPECT_EQ(out.values(), (Values{1 + sign() * 0.5L, 2 + sign() * 0.5L}));
  Array same(ACL_INT32, {2});
  ASSERT_EQ(apply(integers, Scalar(int64_t{7}), Scalar(int32_t{2}), same), 0);
  EXPECT_EQ(same.values(), (Values{1 + sign() * 14, 2 + sign() * 14}));
  Array bools(ACL_BOOL, {2}, {0, 1});
  Array longs(ACL_INT64, {2});
  ASSERT_EQ(apply(bools, Scalar(int64_t{5}), Scalar(int32_t{1}), longs), 0) << recent_message();
  EXPECT_EQ(longs.values(), (Values{sign() * 5, 1 + sign() * 5}));
  aclgradSetAcceptDouble(1);
  Array doubles(ACL_DOUBLE, {1}, {1});
  Array result(ACL_DOUBLE, {1});
  ASSERT_EQ(apply(doubles, Scalar(0.1), Scalar(0.3), result), 0);
  EXPECT_EQ(result.get(0),
            static_cast<long double>(std::fma(static_cast<double>(sign()) * 0.3, 0.1, 1.0)));
}

// ---- Checks -------------------------------------------------------------------------------------

TEST_P(AdditiveTest, AlphaOfBoolsIsAnInteger) {
  Array b(ACL_BOOL, {2});
  const Scalar real(1.0f);
  EXPECT_TRUE(fails_with(161002, {name(), "alpha", "DT_FLOAT", "DT_BOOL"},
                         plan(GetParam().plan, b, b, real, b)));
}

}  // namespace
}  // namespace aclgrad::testing
