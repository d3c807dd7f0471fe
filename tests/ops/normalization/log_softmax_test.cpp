// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "aclnnop/aclnn_logsoftmax.h"
#include "aclnnop/aclnn_logsoftmax_backward.h"
#include "tests/ops/support/arithmetic_cases.h"

namespace aclgrad::testing {
namespace {

class LogSoftmaxTest : public AclTest {
 protected:
  aclnnStatus forward(const Array& self, int64_t dim, Array& out) {
    return call(PHASES(aclnnLogSoftmax), self, dim, out);
  }
  aclnnStatus backward(const Array& gradient, const Array& output, int64_t dim, Array& out) {
    return call(PHASES(aclnnLogSoftmaxBackward), gradient, output, dim, out);
  }
};

TEST_F(LogSoftmaxTest, InputsAreConvertedToTheOutputFirst) {
  const Array self(ACL_FLOAT, {2}, {1 + std::ldexp(1.0L, -12), 1});
  Array out(ACL_FLOAT16, {2});
  ASSERT_EQ(forward(self, 0, out), 0);
  EXPECT_EQ(out.get(0), out.get(1)) << "both are 1 in FLOAT16";
}

TEST_F(LogSoftmaxTest, LargeNumbersDoNotOverflow) {
  const Array self(ACL_FLOAT, {1, 3}, {1e38L, 1e38L, -1e38L});
  Array out(ACL_FLOAT, {1, 3});
  ASSERT_EQ(forward(self, 1, out), 0);
  EXPECT_LE(ulp_error(out.get(0), -std::log(2.0L), ACL_FLOAT), 0.5001);
  EXPECT_EQ(out.get(2), round_to(-2e38L, ACL_FLOAT));
}

TEST_F(LogSoftmaxTest, NonFiniteRows) {
  const Array self(ACL_FLOAT, {4, 2},
                   {-kInfinity, -kInfinity, -kInfinity, 1, kInfinity, 1, kNaN, 1});
  Array out(ACL_FLOAT, {4, 2});
  ASSERT_EQ(forward(self, 1, out), 0);
  expect_near(out, {kNaN, kNaN, -kInfinity, 0, kNaN, kNaN, kNaN, kNaN}, 0);
}

TEST_F(LogSoftmaxTest, OutputMayBeAnInput) {
  Array self(ACL_FLOAT, {2, 2}, {0, 0, 1, 1});
  ASSERT_EQ(forward(self, 1, self), 0);
  EXPECT_EQ(self.values(), Values(4, round_to(-std::log(2.0L), ACL_FLOAT)));
}

TEST_F(LogSoftmaxTest, EmptyTensorsNeedNothing) {
  Array none(ACL_FLOAT, {0, 3});
  EXPECT_EQ(forward(none, 1, none), 0);
  EXPECT_EQ(backward(none, none, 1, none), 0);
}

// ---- Checks -------------------------------------------------------------------------------------

TEST_F(LogSoftmaxTest, DimOfAZeroDimensionalTensor) {
  Array scalar(ACL_FLOAT, {});
  for (int64_t dim : {int64_t{1}, int64_t{-2}}) {
    EXPECT_TRUE(fails_with(161002, {"dim", "[-1, 0]"},
                           plan(aclnnLogSoftmaxGetWorkspaceSize, scalar, dim, scalar)));
  }
}

TEST_F(LogSoftmaxTest, AnEmptyBackwardChecksNothingMoreButOnThe950) {
  Array none(ACL_INT32, {0, 3});
  Array out(ACL_INT32, {4});
  EXPECT_EQ(plan(aclnnLogSoftmaxBackwardGetWorkspaceSize, none, none, int64_t{7}, out).status, 0);
  Array some(ACL_INT32, {2});  // one that is empty is enough
  EXPECT_EQ(plan(aclnnLogSoftmaxBackwardGetWorkspaceSize, some, none, int64_t{7}, out).status, 0);
  ASSERT_EQ(aclgradSetSocName("Ascend950"), 0);
  EXPECT_TRUE(
      fails_with(161002, {"gradOutput", "DT_INT32"},
                 plan(aclnnLogSoftmaxBackwardGetWorkspaceSize, none, none, int64_t{7}, out)));
}

}  // namespace
}  // namespace aclgrad::testing
