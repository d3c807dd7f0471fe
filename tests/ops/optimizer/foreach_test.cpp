// SPDX-License-Identifier: Apache-2.0
// What no contract has of aclnnForeachNorm and aclnnForeachMulScalarV2: lists of
// other lengths, in place, empty tensors, scalars, the norm on 950.
#include <limits>

#include "aclnnop/aclnn_foreach_mul_scalar_v2.h"
#include "aclnnop/aclnn_foreach_norm.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

class ForeachTest : public AclTest {
 protected:
  aclnnStatus norm(const List& x, const Scalar& p, const List& out) {
    return call(PHASES(aclnnForeachNorm), x, p, out);
  }
  aclnnStatus mul(const List& x, const Scalar& factor, const List& out) {
    return call(PHASES(aclnnForeachMulScalarV2), x, factor, out);
  }
  Outcome plan_norm(const List& x, const List& out) {
    return plan(aclnnForeachNormGetWorkspaceSize, x, Scalar(2.0F), out);
  }
  Outcome plan_mul(const List& x, const Scalar& factor, const List& out) {
    return plan(aclnnForeachMulScalarV2GetWorkspaceSize, x, factor, out);
  }
};

TEST_F(ForeachTest, NormsOfTensorsThatAreNotAlike) {
  const Array matrix(ACL_FLOAT, {2, 2}, {1, -1, 1, 1});
  const Array none(ACL_FLOAT, {0, 3});
  const Array number(ACL_FLOAT, {}, {-7});
  const Array outs[] = {{ACL_FLOAT, {}, {9}}, {ACL_FLOAT, {1}, {9}}, {ACL_FLOAT, {1, 1}, {9}}};
  const List x{matrix.tensor(), none.tensor(), number.tensor()};
  const List out{outs[0].tensor(), outs[1].tensor(), outs[2].tensor()};
  ASSERT_EQ(norm(x, Scalar(int64_t{2}), out), 0) << recent_message();
  EXPECT_EQ(outs[0].get(0), 2);
  EXPECT_EQ(outs[1].get(0), 0);
  EXPECT_EQ(outs[2].get(0), 7);
}

TEST_F(ForeachTest, NormOf950KnowsThreeOrders) {
  const Array x(ACL_FLOAT, {2}, {3, -4});
  const Array out(ACL_FLOAT, {1});
  const List list{x.tensor()};
  const List outs{out.tensor()};
  const auto of = [&](double p) {
    EXPECT_EQ(norm(list, Scalar(p), outs), 0) << recent_message();
    return out.get(0);
  };
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(of(0), 2);
  EXPECT_EQ(of(-infinity), 3);
  ASSERT_EQ(aclgradSetSocName("Ascend950"), 0);
  EXPECT_EQ(of(1), 7);
  EXPECT_EQ(of(infinity), 4);
  for (const double p : {2.0, 0.0, 3.0, -infinity}) EXPECT_EQ(of(p), 5) << p;
}

TEST_F(ForeachTest, ProductsInPlaceOfTheSameList) {
  const Array a(ACL_INT32, {2}, {1 << 30, -3});
  const Array b(ACL_INT32, {0});
  const Array c(ACL_INT32, {1, 3}, {7, 0, 1});
  const List list{a.tensor(), b.tensor(), c.tensor()};
  ASSERT_EQ(mul(list, Scalar(int32_t{4}), list), 0) << recent_message();
  EXPECT_EQ(a.values(), (Values{0, -12}));  // wraps
  EXPECT_EQ(c.values(), (Values{28, 0, 4}));
}

TEST_F(ForeachTest, FactorIsOfTheTensorsPrecision) {
  const Array half(ACL_FLOAT16, {1}, {1});
  const Array brain(ACL_BF16, {1}, {3});
  ASSERT_EQ(mul(List{half.tensor()}, Scalar(1 + 0x1p-12), List{half.tensor()}), 0);
  EXPECT_EQ(half.get(0), 1);
  // The product is just more than half way to the next number; in BF16 the factor would be 1.
  ASSERT_EQ(mul(List{brain.tensor()}, Scalar(1.0F + 0x1.6p-9F), List{brain.tensor()}), 0);
  EXPECT_EQ(brain.get(0), 3.015625L);
}

TEST_F(ForeachTest, ListsOfNothing) {
  const List none{};
  EXPECT_EQ(norm(none, Scalar(2.0F), none), 0) << recent_message();
  EXPECT_EQ(mul(none, Scalar(2.0F), none), 0) << recent_message();
}

TEST_F(ForeachTest, SizesThatDoNotFit) {
  const Array a(ACL_FLOAT, {2}, {1, 2});
  const Array out(ACL_FLOAT, {1});
  const List two{a.tensor(), a.tensor()};
  EXPECT_TRUE(fails_with(561002, {"aclnnForeachNorm", "out must have 2", "has 1"},
                         plan_norm(two, List{out.tensor()})));
  EXPECT_TRUE(
      fails_with(561002, {"out must have 0", "has 1"}, plan_norm(List{}, List{out.tensor()})));
  EXPECT_TRUE(fails_with(561002, {"out[1]", "one element", "[2]"},
                         plan_norm(two, List{out.tensor(), a.tensor()})));
  EXPECT_TRUE(fails_with(561002, {"aclnnForeachMulScalarV2", "out must have 2", "has 1"},
                         plan_mul(two, Scalar(2.0F), List{a.tensor()})));
  EXPECT_TRUE(fails_with(561002, {"out[1]", "[1]", "[2]"},
                         plan_mul(two, Scalar(2.0F), List{a.tensor(), out.tensor()})));
  // A dtype comes first.
  EXPECT_TRUE(fails_with(161002, {"scalar", "DT_INT64"},
                         plan_mul(two, Scalar(int64_t{2}), List{a.tensor()})));
}

}  // namespace
}  // namespace aclgrad::testing
