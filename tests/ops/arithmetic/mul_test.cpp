// SPDX-License-Identifier: Apache-2.0
#include "aclnnop/aclnn_mul.h"

#include "tests/ops/support/arithmetic_cases.h"

namespace aclgrad::testing {
namespace {

class MulTest : public AclTest {
 protected:
  aclnnStatus mul(const Array& self, const Array& other, Array& out) {
    return call(PHASES(aclnnMul), self, other, out);
  }
  aclnnStatus muls(const Array& self, const Scalar& other, Array& out) {
    return call(PHASES(aclnnMuls), self, other, out);
  }
};

TEST_F(MulTest, IntegersWrap) {
  for (const IntegerType& type : kIntegerTypes) {
    Array a(type.dtype, {4}), b(type.dtype, {4}), out(type.dtype, {4});
    a.fill({type.low, type.high, 5, type.high});
    b.fill({3, type.high, 7, type.low});
    ASSERT_EQ(mul(a, b, out), 0);
    for (int64_t i = 0; i < 4; ++i) {
      EXPECT_EQ(type.exact(out, i), type.wrap(type.exact(a, i) * type.exact(b, i)));
    }
  }
}

TEST_F(MulTest, BoolsAreAnd) {
  const Array self(ACL_BOOL, {4}, {0, 0, 1, 1});
  const Array other(ACL_BOOL, {4}, {0, 1, 0, 1});
  Array out(ACL_BOOL, {4});
  ASSERT_EQ(mul(self, other, out), 0);
  EXPECT_EQ(out.values(), (Values{0, 0, 0, 1}));
}

TEST_F(MulTest, ComplexNumbers) {
  for (aclDataType dtype : {ACL_COMPLEX64, ACL_COMPLEX128}) {
    ComplexArray self(dtype, {1}), other(dtype, {1}), out(dtype, {1});
    self.set({{1, 2}});
    other.set({{5, -6}});
    ASSERT_EQ(mul(self.array, other.array, out.array), 0);
    EXPECT_EQ(out.get(0), std::complex<double>(17, 4));
    ASSERT_EQ(muls(self.array, Scalar(0.0f, 1.0f), out.array), 0);
    EXPECT_EQ(out.get(0), std::complex<double>(-2, 1));
  }
}

TEST_F(MulTest, ScalarsMultiplyInTheRightType) {
  const auto tenth = static_cast<long double>(0.1f);
  Array real(ACL_FLOAT, {1}, {3});
  Array out(ACL_FLOAT, {1});
  ASSERT_EQ(muls(real, Scalar(0.1), out), 0);
  EXPECT_EQ(out.get(0), round_to(3 * tenth, ACL_FLOAT));

  // FLOAT16 rounds its factor, BF16 keeps it as FLOAT.
  Array half(ACL_FLOAT16, {1}, {3});
  ASSERT_EQ(muls(half, Scalar(0.1f), half), 0);
  EXPECT_EQ(half.get(0), round_to(3 * round_to(tenth, ACL_FLOAT16), ACL_FLOAT16));
  Array bfloat(ACL_BF16, {1}, {3});
  ASSERT_EQ(muls(bfloat, Scalar(0.1f), bfloat), 0);
  EXPECT_EQ(bfloat.get(0), round_to(3 * tenth, ACL_BF16));

  Array integer(ACL_INT32, {1}, {3});
  ASSERT_EQ(muls(integer, Scalar(0.5), out), 0);
  EXPECT_EQ(out.get(0), 1.5L);
  Array wide(ACL_DOUBLE, {1});
  ASSERT_EQ(muls(integer, Scalar(0.1), wide), 0);
  EXPECT_EQ(wide.get(0), static_cast<long double>(3 * 0.1));
  Array truth(ACL_BOOL, {1}, {1});
  ASSERT_EQ(muls(truth, Scalar(0.1), wide), 0);
  EXPECT_EQ(wide.get(0), tenth) << "BOOL times DOUBLE is computed in FLOAT";
  ASSERT_EQ(muls(integer, Scalar(int64_t{-4}), integer), 0);
  EXPECT_EQ(integer.get(0), -12);

  aclgradSetAcceptDouble(1);
  Array doubles(ACL_DOUBLE, {1}, {3});
  ASSERT_EQ(muls(doubles, Scalar(0.1), wide), 0);
  EXPECT_EQ(wide.get(0), static_cast<long double>(3 * 0.1));
}

TEST_F(MulTest, AComplexFactorIntoAReal) {
  Array real(ACL_FLOAT, {1}, {3});
  Array out(ACL_FLOAT, {1});
  ASSERT_EQ(muls(real, Scalar(2.0f, 5.0f), out), 0) << "the real part is kept";
  EXPECT_EQ(out.get(0), 6);
}

// ---- Checks -------------------------------------------------------------------------------------

TEST_F(MulTest, ConvertibilityDependsOnTheProduct) {
  Array real(ACL_FLOAT, {1}, {2.75L});
  Array integer(ACL_INT32, {1});
  const Scalar two(2.0f);
  EXPECT_TRUE(fails_with(161002, {"aclnnMul", "DT_FLOAT", "DT_INT32"},
                         plan(aclnnMulGetWorkspaceSize, real, real, integer)));
  EXPECT_EQ(muls(real, two, integer), 0);
  EXPECT_EQ(integer.get(0), 5) << "truncated";
  ASSERT_EQ(aclgradSetSocName("Ascend950"), 0);
  EXPECT_EQ(mul(real, real, integer), 0);
  EXPECT_EQ(integer.get(0), 7);
  EXPECT_TRUE(fails_with(161002, {"aclnnMuls", "DT_FLOAT", "DT_INT32"},
                         plan(aclnnMulsGetWorkspaceSize, real, two, integer)));
}

TEST_F(MulTest, ScalarsWithoutACommonTypeAreFoundLate) {
  Array truth(ACL_BOOL, {1});
  uint16_t value = 3;
  const Scalar odd(&value, ACL_UINT16);
  EXPECT_TRUE(fails_with(561103, {"aclnnMuls", "DT_BOOL", "DT_UINT16"},
                         plan(aclnnMulsGetWorkspaceSize, truth, odd, truth)));
  ASSERT_EQ(aclgradSetSocName("Ascend950"), 0);
  EXPECT_TRUE(fails_with(161002, {"aclnnMuls", "DT_BOOL", "DT_UINT16"},
                         plan(aclnnMulsGetWorkspaceSize, truth, odd, truth)));
}

}  // namespace
}  // namespace aclgrad::testing
