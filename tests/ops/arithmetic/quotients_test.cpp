// SPDX-License-Identifier: Apache-2.0
// What no contract has of quotients, maxima and minima: integers, complex numbers,
// special values, and the rules of single products.
#include <cmath>
#include <limits>

#include "aclgrad_ext.h"
#include "aclnnop/aclnn_div.h"
#include "aclnnop/aclnn_maximum.h"
#include "aclnnop/aclnn_minimum.h"
#include "tests/ops/support/fixture.h"
#include "tests/ops/support/numbers.h"

namespace aclgrad::testing {
namespace {

class QuotientsTest : public AclTest {
 protected:
  template <class Plan, class Start>
  Values results(Plan phase_one, Start phase_two, aclDataType from, const Values& x,
                 const Values& y, aclDataType to) {
    const auto count = static_cast<int64_t>(x.size());
    const Array self(from, {count}, Array::Layout{}, x);
    const Array other(from, {count}, Array::Layout{}, y);
    const Array out(to, {count});
    EXPECT_TRUE(runs(phase_one, phase_two, self, other, out));
    return out.values();
  }
  Values quotients(aclDataType from, const Values& x, const Values& y, aclDataType to) {
    return results(aclnnDivGetWorkspaceSize, aclnnDiv, from, x, y, to);
  }
};

TEST_F(QuotientsTest, OfIntegersAreFractionsOrTruncated) {
  for (const aclDataType dtype : {ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64}) {
    EXPECT_EQ(quotients(dtype, {7, -7, 1}, {2, 2, 4}, ACL_FLOAT), (Values{3.5L, -3.5L, 0.25L}));
    EXPECT_EQ(quotients(dtype, {7, -7, 1}, {2, 2, 4}, dtype), (Values{3, -3, 0}));
  }
  // They are rounded to FLOAT first.
  const long double large = (1 << 24) + 1;
  EXPECT_EQ(quotients(ACL_INT32, {large}, {1}, ACL_INT32), Values{1 << 24});
  EXPECT_EQ(quotients(ACL_BOOL, {1, 0}, {1, 1}, ACL_FLOAT), (Values{1, 0}));
}

TEST_F(QuotientsTest, OnA950IntegersNeedAFloatingResult) {
  const Array self(ACL_INT32, {2}, {7, 8});
  const Array whole(ACL_INT32, {2});
  const Array real(ACL_FLOAT, {2});
  ASSERT_EQ(aclgradSetSocName("Ascend950"), 0);
  EXPECT_TRUE(fails_with(161002, {"aclnnDiv", "out", "DT_INT32"},
                         plan(aclnnDivGetWorkspaceSize, self, self, whole)));
  EXPECT_TRUE(runs(PHASES(aclnnDiv), self, self, real));
  EXPECT_EQ(real.values(), (Values{1, 1}));
}

TEST_F(QuotientsTest, BySpecialValues) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
    const Values q =
        quotients(dtype, {1, -1, 0, 1, kInfinity, kNaN}, {0, 0, 0, kInfinity, kInfinity, 1}, dtype);
    expect_same(q, {kInfinity, -kInfinity, kNaN, 0, kNaN, kNaN});
  }
}

// On 950 by the product with the rounded reciprocal, which has other last bits.
TEST_F(QuotientsTest, ByANumber) {
  const Scalar three(3.0f);
  const Array x(ACL_FLOAT, {3}, {5, 7, 11});
  const Array out(ACL_FLOAT, {3});
  const auto run = [&] {
    EXPECT_TRUE(runs(PHASES(aclnnDivs), x, three, out));
    return out.values();
  };
  const Values divided = {5.0f / 3, 7.0f / 3, 11.0f / 3};
  EXPECT_EQ(run(), divided);
  ASSERT_EQ(aclgradSetSocName("Ascend950"), 0);
  const float third = 1.0f / 3;
  EXPECT_EQ(run(), (Values{5 * third, 7 * third, 11 * third}));
}

TEST_F(QuotientsTest, MaximaAndMinimaOfIntegersAndBools) {
  for (const aclDataType dtype : {ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64}) {
    EXPECT_EQ(results(aclnnMaximumGetWorkspaceSize, aclnnMaximum, dtype, {-3, 5}, {2, 4}, dtype),
              (Values{2, 5}));
    EXPECT_EQ(results(aclnnMinimumGetWorkspaceSize, aclnnMinimum, dtype, {-3, 5}, {2, 4}, dtype),
              (Values{-3, 4}));
  }
  const Values a = {0, 0, 1, 1}, b = {0, 1, 0, 1};
  EXPECT_EQ(results(aclnnMaximumGetWorkspaceSize, aclnnMaximum, ACL_BOOL, a, b, ACL_BOOL),
            (Values{0, 1, 1, 1}));
  EXPECT_EQ(results(aclnnMinimumGetWorkspaceSize, aclnnMinimum, ACL_BOOL, a, b, ACL_BOOL),
            (Values{0, 0, 0, 1}));
}

TEST_F(QuotientsTest, ANaNInEitherIsTheMaximumAndTheMinimum) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
    const Values a = {kNaN, 1, kNaN, -kInfinity}, b = {1, kNaN, kNaN, kInfinity};
    const Values most = results(aclnnMaximumGetWorkspaceSize, aclnnMaximum, dtype, a, b, dtype);
    const Values least = results(aclnnMinimumGetWorkspaceSize, aclnnMinimum, dtype, a, b, dtype);
    expect_same(most, {kNaN, kNaN, kNaN, kInfinity});
    expect_same(least, {kNaN, kNaN, kNaN, -kInfinity});
  }
}

}  // namespace
}  // namespace aclgrad::testing
