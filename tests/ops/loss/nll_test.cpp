// SPDX-License-Identifier: Apache-2.0
#include "aclnnop/aclnn_nll_loss.h"
#include "aclnnop/aclnn_nll_loss_backward.h"
#include "tests/ops/support/arithmetic_cases.h"

namespace aclgrad::testing {
namespace {

constexpr int64_t kIgnore = -100;

class NllTest : public AclTest {
 protected:
  aclnnStatus nll(const Array& self, const Array& target, const Array& weight, int64_t reduction,
                  Array& out, Array& total, int64_t ignore = kIgnore) {
    return call(PHASES(aclnnNLLLoss), self, target, weight, reduction, ignore, out, total);
  }
  aclnnStatus backward(const Array& gradient, const Array& self, const Array& target,
                       const Array& weight, int64_t reduction, const Array& total, Array& out,
                       int64_t ignore = kIgnore) {
    return call(PHASES(aclnnNLLLossBackward), gradient, self, target, weight, reduction, ignore,
                total, out);
  }
};

TEST_F(NllTest, OneRowWithoutABatch) {
  const Array self(ACL_FLOAT, {3}, {1, 2, 3});
  const Array target(ACL_INT64, {}, {2});
  const Array weight(ACL_FLOAT, {3}, {1, 1, 0.5L});
  for (const Shape& shape : {Shape{}, Shape{1}}) {
    for (int64_t reduction : {kNone, kMean, kSum}) {
      Array out(ACL_FLOAT, shape), total(ACL_FLOAT, {});
      ASSERT_EQ(nll(self, target, weight, reduction, out, total), 0) << recent_message();
      EXPECT_EQ(out.get(0), reduction == kMean ? -3 : -1.5L);
      EXPECT_EQ(total.get(0), reduction == kNone ? 0 : 0.5L);
      Array gradient(ACL_FLOAT, shape, {2}), result(ACL_FLOAT, {3}, {9, 9, 9});
      total.fill({0.5L});
      ASSERT_EQ(backward(gradient, self, target, weight, reduction, total, result), 0);
      EXPECT_EQ(result.values(), (Values{0, 0, reduction == kMean ? -2.0L : -1.0L}));
    }
  }
}

TEST_F(NllTest, EmptyAndIgnoredBatches) {
  const Array self(ACL_FLOAT, {0, 3});
  const Array target(ACL_INT64, {0});
  const Array weight(ACL_FLOAT, {3}, {1, 1, 1});
  Array none(ACL_FLOAT, {0}), out(ACL_FLOAT, {}, {5}), total(ACL_FLOAT, {}, {5});
  ASSERT_EQ(nll(self, target, weight, kNone, none, total), 0) << recent_message();
  EXPECT_EQ(total.get(0), 5);
  ASSERT_EQ(nll(self, target, weight, kSum, out, total), 0);
  EXPECT_EQ(out.get(0), 0);
  EXPECT_EQ(total.get(0), 0);
  ASSERT_EQ(nll(self, target, weight, kMean, out, total), 0);
  EXPECT_TRUE(std::isnan(out.get(0)));
  Array empty(ACL_FLOAT, {0, 3});
  EXPECT_EQ(backward(out, self, target, weight, kMean, total, empty), 0);
  // No rows need no classes.
  const Array nothing(ACL_FLOAT, {0, 0}), no_weight(ACL_FLOAT, {0});
  ASSERT_EQ(nll(nothing, target, no_weight, kSum, out, total), 0) << recent_message();
  EXPECT_EQ(out.get(0), 0);

  const Array rows(ACL_FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6});
  const Array ignored(ACL_INT64, {2}, {kIgnore, kIgnore});
  ASSERT_EQ(nll(rows, ignored, weight, kMean, out, total), 0);
  EXPECT_TRUE(std::isnan(out.get(0)));
  EXPECT_EQ(total.get(0), 0);
  ASSERT_EQ(nll(rows, ignored, weight, kSum, out, total), 0);
  EXPECT_EQ(out.get(0), 0);
}

TEST_F(NllTest, ATargetThatIsNoClassFailsTheTaskAndWritesNothing) {
  const Array self(ACL_FLOAT, {3, 4});
  const Array weight(ACL_FLOAT, {4}, {1, 1, 1, 1});
  for (long double wrong : {4.0L, -1.0L, 1e15L}) {
    const Array target(ACL_INT64, {3}, {0, wrong, 1});
    const std::string row = "row 1";
    const std::string class_text = "class " + std::to_string(static_cast<int64_t>(wrong));
    Array out(ACL_FLOAT, {}, {55}), total(ACL_FLOAT, {}, {66});
    for (int64_t reduction : {kMean, kSum}) {
      recent_message();
      const aclnnStatus status = nll(self, target, weight, reduction, out, total);
      EXPECT_TRUE(fails_with(ACL_ERROR_RT_INTERNAL_ERROR, {"aclnnNLLLoss", row, class_text},
                             {status, recent_message()}));
      EXPECT_EQ(out.get(0), 55);
      EXPECT_EQ(total.get(0), 66);
    }
    Array each(ACL_FLOAT, {3}, {7, 7, 7});
    EXPECT_NE(nll(self, target, weight, kNone, each, total), 0);
    EXPECT_EQ(each.values(), Values(3, 7));
    Array gradient(ACL_FLOAT, {}, {1}), result(ACL_FLOAT, {3, 4}, {8});
    recent_message();
    const aclnnStatus status = backward(gradient, self, target, weight, kSum, total, result);
    EXPECT_TRUE(fails_with(ACL_ERROR_RT_INTERNAL_ERROR, {"aclnnNLLLossBackward", row, class_text},
                           {status, recent_message()}));
    EXPECT_EQ(result.values(), Values(12, 8));
  }
  // The stream goes on afterwards.
  const Array target(ACL_INT64, {3}, {0, 3, 1});
  Array out(ACL_FLOAT, {}), total(ACL_FLOAT, {});
  EXPECT_EQ(nll(self, target, weight, kSum, out, total), 0);
  EXPECT_EQ(total.get(0), 3);
}

// ---- Checks -------------------------------------------------------------------------------------

TEST_F(NllTest, ShapesOfReducedLossesAndSingleRows) {
  Array self(ACL_FLOAT, {2, 3}), target(ACL_INT64, {2}), weight(ACL_FLOAT, {3});
  Array total(ACL_FLOAT, {}), two(ACL_FLOAT, {2}), deep(ACL_FLOAT, {1, 1});
  for (Array* out : {&two, &deep}) {
    EXPECT_TRUE(fails_with(161002, {"aclnnNLLLoss", "out", "[] or [1]"},
                           plan(aclnnNLLLossGetWorkspaceSize, self, target, weight, kMean, kIgnore,
                                out->tensor(), total)));
  }
  Array row(ACL_FLOAT, {3}), one(ACL_INT64, {1});
  EXPECT_TRUE(fails_with(
      161002, {"target", "[]", "[1]"},
      plan(aclnnNLLLossGetWorkspaceSize, row, one, weight, kMean, kIgnore, total, total)));
}

}  // namespace
}  // namespace aclgrad::testing
