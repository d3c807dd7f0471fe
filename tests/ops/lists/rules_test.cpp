// SPDX-License-Identifier: Apache-2.0
// What no contract has of functions over lists: lengths, statuses and their order, scalars on the
// device and in lists, the norm on 950, copies, and gradients that are not finite.
#include <limits>

#include "aclnnop/aclnn_foreach_add_scalar_v2.h"
#include "aclnnop/aclnn_foreach_addcdiv_scalar_list.h"
#include "aclnnop/aclnn_foreach_copy.h"
#include "aclnnop/aclnn_foreach_div_scalar_list.h"
#include "aclnnop/aclnn_foreach_maximum_scalar_v2.h"
#include "aclnnop/aclnn_foreach_mul_list.h"
#include "aclnnop/aclnn_foreach_mul_scalar.h"
#include "aclnnop/aclnn_foreach_mul_scalar_v2.h"
#include "aclnnop/aclnn_foreach_non_finite_check_and_unscale.h"
#include "aclnnop/aclnn_foreach_norm.h"
#include "aclnnop/aclnn_foreach_sub_list_v2.h"
#include "aclnnop/aclnn_foreach_zero_inplace.h"
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
  EXPECT_TRUE(fails_with(161002, {"scalar", "DT_COMPLEX64"},
                         plan_mul(two, Scalar(2.0F, 0.0F), List{a.tensor()})));
}

TEST_F(ForeachTest, ChecksComeInTheirOrder) {
  const Array a(ACL_FLOAT, {2}, {1, 2});
  const Array half(ACL_FLOAT16, {2}, {1, 2});
  const Array other(ACL_FLOAT, {3}, {1, 2, 3});
  const auto mul = aclnnForeachMulListGetWorkspaceSize;
  const List one{a.tensor()};
  const aclTensorList* const none = nullptr;
  EXPECT_TRUE(fails_with(161001, {"x2", "null"}, plan(mul, one, none, List{nullptr})));
  EXPECT_TRUE(
      fails_with(161001, {"out[0]", "null"}, plan(mul, List{half.tensor()}, one, List{nullptr})));
  EXPECT_TRUE(fails_with(161002, {"x1[0]", "x2[0]", "DT_FLOAT16"},
                         plan(mul, one, List{half.tensor(), a.tensor()}, one)));
  EXPECT_TRUE(fails_with(561002, {"x2 must have 1 tensors", "has 2"},
                         plan(mul, one, List{other.tensor(), a.tensor()}, one)));
  EXPECT_TRUE(fails_with(561002, {"x2[0]", "[3]", "[2]"},
                         plan(mul, one, List{other.tensor()}, List{other.tensor()})));
}

TEST_F(ForeachTest, ScalarsOfIntegersAreWhole) {
  const Array x(ACL_INT32, {2}, {5, -7});
  const List list{x.tensor()};
  EXPECT_TRUE(fails_with(161002, {"scalar", "DT_DOUBLE"},
                         plan(aclnnForeachAddScalarV2GetWorkspaceSize, list, Scalar(2.5), list)));
  ASSERT_EQ(call(PHASES(aclnnForeachAddScalarV2), list, Scalar(true), list), 0);
  EXPECT_EQ(x.values(), (Values{6, -6}));
  ASSERT_EQ(call(PHASES(aclnnForeachMaximumScalarV2), list, Scalar(int64_t{-2}), list), 0);
  EXPECT_EQ(x.values(), (Values{6, -2}));
  const Array y(ACL_INT32, {2}, {1, 2});
  ASSERT_EQ(call(PHASES(aclnnForeachSubListV2), list, List{y.tensor()}, Scalar(int64_t{2}), list),
            0);
  EXPECT_EQ(x.values(), (Values{4, -6}));
}

// ---- Scalars on the device and in lists ---------------------------------------------------------

TEST_F(ForeachTest, ScalarsOnTheDeviceAreReadWhenTheTaskRuns) {
  Array x(ACL_DOUBLE, {2}, {1, 2});
  Array factor(ACL_DOUBLE, {}, {3});
  const List list{x.tensor()};
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(aclnnForeachMulScalarGetWorkspaceSize(list.get(), factor.tensor(), list.get(), &size,
                                                  &executor),
            0)
      << recent_message();
  ASSERT_EQ(aclSetAclOpExecutorRepeatable(executor), 0);
  factor.set(0, 5);
  ASSERT_EQ(aclnnForeachMulScalar(nullptr, size, executor, stream()), 0);
  ASSERT_EQ(aclrtSynchronizeStream(stream()), 0);
  EXPECT_EQ(x.values(), (Values{5, 10}));
  factor.set(0, -1);
  ASSERT_EQ(aclnnForeachMulScalar(nullptr, size, executor, stream()), 0);
  ASSERT_EQ(aclrtSynchronizeStream(stream()), 0);
  EXPECT_EQ(x.values(), (Values{-5, -10}));
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
}

TEST_F(ForeachTest, FactorsOfTheirOwnLieInOneTensor) {
  const Array x(ACL_FLOAT, {1}, {1}), y(ACL_FLOAT, {2}, {6, 6}), z(ACL_FLOAT, {2}, {3, 4});
  const Array ones(ACL_FLOAT, {2}, {1, 1});
  const Array six(ACL_FLOAT, {1}, {6}), three(ACL_FLOAT, {1}, {3});
  const Array factors(ACL_FLOAT, {2}, Array::Layout{{-2}, 4, 7}, {0.5L, 2});
  const List x1{x.tensor(), ones.tensor()};
  const List x2{six.tensor(), y.tensor()};
  const List x3{three.tensor(), z.tensor()};
  ASSERT_EQ(call(PHASES(aclnnForeachAddcdivScalarList), x1, x2, x3, factors, x1), 0)
      << recent_message();
  EXPECT_EQ(x.get(0), 2);
  EXPECT_EQ(ones.values(), (Values{5, 4}));
  const auto plan_with = [&](const Array& scalars) {
    return plan(aclnnForeachAddcdivScalarListGetWorkspaceSize, x1, x2, x3, scalars, x1);
  };
  EXPECT_TRUE(fails_with(161002, {"scalars", "DT_FLOAT16"}, plan_with(Array(ACL_FLOAT16, {2}))));
  EXPECT_TRUE(fails_with(561002, {"scalars", "[2]", "[3]"}, plan_with(Array(ACL_FLOAT, {3}))));
  EXPECT_TRUE(
      fails_with(561002, {"scalars", "[2]", "[2, 1]"}, plan_with(Array(ACL_FLOAT, {2, 1}))));
}

TEST_F(ForeachTest, ScalarsOfAListMayDifferInDtype) {
  const Array x(ACL_FLOAT, {2}, {1, 2}), y(ACL_FLOAT, {1}, {3});
  const List list{x.tensor(), y.tensor()};
  const Scalar four(int64_t{4}), half(0.5F);
  const aclScalar* const numbers[] = {four.get(), half.get()};
  aclScalarList* const scalars = aclCreateScalarList(numbers, 2);
  EXPECT_EQ(call(PHASES(aclnnForeachDivScalarList), list, scalars, list), 0) << recent_message();
  EXPECT_EQ(x.values(), (Values{0.25L, 0.5L}));
  EXPECT_EQ(y.get(0), 6);
  EXPECT_EQ(aclgradReleaseTensorList(scalars), 0);
  const auto plan_with = [&](aclScalarList* made) {
    const Outcome outcome = plan(aclnnForeachDivScalarListGetWorkspaceSize, list, made, list);
    EXPECT_EQ(aclgradReleaseTensorList(made), 0);
    return outcome;
  };
  EXPECT_TRUE(fails_with(161001, {"scalars", "null"}, plan_with(nullptr)));
  EXPECT_TRUE(fails_with(561002, {"scalars must have 2 scalars", "has 1"},
                         plan_with(aclCreateScalarList(numbers, 1))));
  const Scalar complex(1.0F, 0.0F);
  const aclScalar* const wrong[] = {four.get(), complex.get()};
  EXPECT_TRUE(
      fails_with(161002, {"scalars[1]", "DT_COMPLEX64"}, plan_with(aclCreateScalarList(wrong, 2))));
  const aclScalar* const missing[] = {four.get(), nullptr};
  EXPECT_TRUE(
      fails_with(161001, {"scalars[1]", "null"}, plan_with(aclCreateScalarList(missing, 2))));
  EXPECT_TRUE(fails_with(161002, {"scalars", "not a live"},
                         plan(aclnnForeachDivScalarListGetWorkspaceSize, list, scalars, list)));
}

// ---- Copies, zeros and gradients of a scaled loss -----------------------------------------------

TEST_F(ForeachTest, CopiesConvertToTheResultsDtype) {
  const Array a(ACL_FLOAT, {2}, {1.7L, -2.5L}), b(ACL_FLOAT, {1}, {300});
  const Array c(ACL_INT32, {2}), d(ACL_INT32, {1});
  ASSERT_EQ(
      call(PHASES(aclnnForeachCopy), List{a.tensor(), b.tensor()}, List{c.tensor(), d.tensor()}), 0)
      << recent_message();
  EXPECT_EQ(c.values(), (Values{1, -2}));
  EXPECT_EQ(d.get(0), 300);
  EXPECT_TRUE(fails_with(161002, {"out[1]", "DT_FLOAT"},
                         plan(aclnnForeachCopyGetWorkspaceSize, List{a.tensor(), b.tensor()},
                              List{c.tensor(), b.tensor()})));
}

TEST_F(ForeachTest, ZerosInEveryMember) {
  const Array a(ACL_COMPLEX64, {2}), b(ACL_COMPLEX64, {3, 1});
  std::memset(a.data(), 1, a.memory().bytes());
  std::memset(b.data(), 1, b.memory().bytes());
  ASSERT_EQ(call(PHASES(aclnnForeachZeroInplace), List{a.tensor(), b.tensor()}), 0);
  for (const Array* each : {&a, &b}) {
    for (const unsigned char byte : bytes_of(*each)) EXPECT_EQ(byte, 0);
  }
}

TEST_F(ForeachTest, FoundInfStaysUntilAGradientIsNotFinite) {
  const Array a(ACL_FLOAT16, {2}, {1, 65504}), b(ACL_FLOAT16, {1, 3}, {2, 3, 4});
  Array found(ACL_FLOAT, {1}, {0});
  const Array scale(ACL_FLOAT, {}, {0.5L});
  const List list{a.tensor(), b.tensor()};
  const auto unscale = [&] {
    ASSERT_EQ(call(PHASES(aclnnForeachNonFiniteCheckAndUnscale), list, found, scale), 0)
        << recent_message();
  };
  unscale();
  EXPECT_EQ(found.get(0), 0);
  EXPECT_EQ(a.values(), (Values{0.5L, 32752}));
  found.set(0, 7);
  unscale();
  EXPECT_EQ(found.get(0), 7);
  EXPECT_EQ(b.values(), (Values{0.5L, 0.75L, 1}));
  for (const long double value : {kInfinity, -kInfinity, kNaN}) {
    found.set(0, 0);
    const_cast<Array&>(b).fill({2, value, 4});
    unscale();
    EXPECT_EQ(found.get(0), 1);
    EXPECT_TRUE(same(b.get(1), value));
    EXPECT_EQ(b.get(2), 2);
  }
  const Array two(ACL_FLOAT, {2});
  EXPECT_TRUE(
      fails_with(561002, {"inverseScale", "one element", "[2]"},
                 plan(aclnnForeachNonFiniteCheckAndUnscaleGetWorkspaceSize, list, found, two)));
}

}  // namespace
}  // namespace aclgrad::testing
