// SPDX-License-Identifier: Apache-2.0
#include "aclnnop/aclnn_mse_loss.h"
#include "aclnnop/aclnn_mse_loss_backward.h"
#include "aclnnop/aclnn_mse_loss_out.h"
#include "tests/ops/support/arithmetic_cases.h"

namespace aclgrad::testing {
namespace {

class MseTest : public AclTest {
 protected:
  aclnnStatus mse(const Array& self, const Array& target, int64_t reduction, Array& out) {
    return call(PHASES(aclnnMseLoss), self, target, reduction, out);
  }
  aclnnStatus backward(const Array& gradient, const Array& self, const Array& target,
                       int64_t reduction, Array& out) {
    return call(PHASES(aclnnMseLossBackward), gradient, self, target, reduction, out);
  }
};

TEST_F(MseTest, OutReducesTheFirstDimensionAlone) {
  const auto mse_out = [&](const Array& self, const Array& target, int64_t reduction, Array& out) {
    return call(PHASES(aclnnMseLossOut), self, target, reduction, out);
  };
  const Array square(ACL_FLOAT, {2, 2}, {1, 2, 3, 4});
  Array scalar(ACL_FLOAT, {});
  EXPECT_TRUE(fails_with(161002, {"aclnnMseLossOut", "out", "[2]", "[]"},
                         plan(aclnnMseLossOutGetWorkspaceSize, square, square, kSum, scalar)));
  const Array number(ACL_FLOAT, {}, {3}), two(ACL_FLOAT, {}, {1});
  ASSERT_EQ(mse_out(number, two, kSum, scalar), 0);
  EXPECT_EQ(scalar.get(0), 4);
  const Array nothing(ACL_FLOAT, {0, 3});
  Array three(ACL_FLOAT, {3});
  ASSERT_EQ(mse_out(nothing, nothing, kMean, three), 0);
  EXPECT_TRUE(std::isnan(three.get(2)));
  ASSERT_EQ(mse_out(nothing, nothing, kSum, three), 0);
  EXPECT_EQ(three.values(), (Values{0, 0, 0}));
}

TEST_F(MseTest, MixedDtypesPromote) {
  const Array half(ACL_FLOAT16, {2}, {1, 2});
  const Array bfloat(ACL_BF16, {2}, {1.5L, 4});
  Array out(ACL_FLOAT, {2});
  ASSERT_EQ(mse(half, bfloat, kNone, out), 0);
  EXPECT_EQ(out.values(), (Values{0.25L, 4}));
}

TEST_F(MseTest, EmptyTensors) {
  const Array none(ACL_FLOAT, {0, 3});
  Array each(ACL_FLOAT, {0, 3}), out(ACL_FLOAT, {}, {5});
  EXPECT_EQ(mse(none, none, kNone, each), 0);
  EXPECT_EQ(mse(none, none, kSum, out), 0);
  EXPECT_EQ(out.get(0), 0);
  EXPECT_EQ(mse(none, none, kMean, out), 0);
  EXPECT_TRUE(std::isnan(out.get(0)));
  EXPECT_EQ(backward(none, none, none, kMean, each), 0);
}

TEST_F(MseTest, TheMeanCountsSelfAndTargetOnly) {
  const Array gradient(ACL_FLOAT, {3, 2}, {1, 1, 1, 1, 1, 1});
  const Array self(ACL_FLOAT, {2}, {3, 4});
  const Array target(ACL_FLOAT, {1}, {1});
  Array out(ACL_FLOAT, {3, 2});
  ASSERT_EQ(backward(gradient, self, target, kMean, out), 0);
  EXPECT_EQ(out.values(), (Values{2, 3, 2, 3, 2, 3}));
}

// ---- Checks -------------------------------------------------------------------------------------

TEST_F(MseTest, ReducedLossesAreZeroDimensional) {
  Array self(ACL_FLOAT, {2});
  Array one(ACL_FLOAT, {1});
  for (int64_t reduction : {kMean, kSum}) {
    EXPECT_TRUE(fails_with(161002, {"aclnnMseLoss", "out", "[]", "[1]"},
                           plan(aclnnMseLossGetWorkspaceSize, self, self, reduction, one)));
  }
  EXPECT_TRUE(fails_with(161002, {"reduction", "-1"},
                         plan(aclnnMseLossGetWorkspaceSize, self, self, int64_t{-1}, one)));
}

}  // namespace
}  // namespace aclgrad::testing
