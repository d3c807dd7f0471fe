// SPDX-License-Identifier: Apache-2.0
#include "aclnnop/aclnn_addmm.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

class AddmmTest : public AclTest {
 protected:
  aclnnStatus addmm(const Array& self, const Array& a, const Array& b, float beta, float alpha,
                    Array& out, int8_t type = 0) {
    const Scalar scaled_beta(beta);
    const Scalar scaled_alpha(alpha);
    return call(PHASES(aclnnAddmm), self, a, b, scaled_beta, scaled_alpha, out, type);
  }
};

TEST_F(AddmmTest, BetaZeroDoesNotReadTheAddend) {
  const Array self(ACL_FLOAT, {2}, {kNaN, kNaN});
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
  const Array a(ACL_FLOAT, {1, 2}, {kNaN, 4});
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

// Rounding to 16 bits must not carry the lower bits of a NaN into a number.
TEST_F(AddmmTest, ANanWithAllItsBitsSetStaysNan) {
  const auto nan = std::bit_cast<float>(uint32_t{0x7fffffff});
  for (const aclDataType dtype : {ACL_BF16, ACL_FLOAT16}) {
    const Array self(dtype, {2}, {3, 5});
    const Array a(dtype, {1, 2}, {3, 4});
    const Array b(dtype, {2, 2}, {1, 2, 3, 4});
    Array out(dtype, {1, 2});
    ASSERT_EQ(addmm(self, a, b, 1, nan, out), 0);
    for (const long double each : out.values()) EXPECT_TRUE(std::isnan(each)) << dtype;
  }
}

// 1 + 2^-8 lies between two numbers of BFLOAT16. What is added is lost in a float, and decides.
TEST_F(AddmmTest, AddendsDecideHowSumsBetweenTwoNumbersAreRounded) {
  constexpr int64_t kRows = 32, kTerms = 32, kColumns = 33;
  constexpr double kLittle = 0x1p-40;
  Values left(kRows * kTerms), right(kTerms * kColumns), added(kColumns), expected;
  for (size_t row = 0; row < kRows; ++row) {
    left[row * kTerms] = 1;
    left[row * kTerms + 1] = 0x1p-8;
  }
  std::fill_n(right.begin(), 2 * kColumns, 1);
  for (size_t column = 0; column < kColumns; ++column) {
    added[column] = std::array{0.0, kLittle, -kLittle}[column % 3];
  }
  for (size_t row = 0; row < kRows; ++row) {
    for (const long double each : added) expected.push_back(each > 0 ? 1 + 0x1p-7 : 1);
  }
  Array out(ACL_BF16, {kRows, kColumns});
  ASSERT_EQ(addmm(Array(ACL_BF16, {kColumns}, Array::Layout{}, added),
                  Array(ACL_BF16, {kRows, kTerms}, Array::Layout{}, left),
                  Array(ACL_BF16, {kTerms, kColumns}, Array::Layout{}, right), 1, 1, out),
            0);
  EXPECT_EQ(out.values(), expected);
}

TEST_F(AddmmTest, EmptyOutputsNeedNothing) {
  const Array self(ACL_FLOAT, {1});
  const Array a(ACL_FLOAT, {0, 3});
  const Array b(ACL_FLOAT, {3, 2});
  Array out(ACL_FLOAT, {0, 2});
  EXPECT_EQ(addmm(self, a, b, 1, 1, out), 0);
  EXPECT_EQ(addmm(Array(ACL_FLOAT, {0, 2}), a, b, 1, 1, out), 0);
}

}  // namespace
}  // namespace aclgrad::testing
