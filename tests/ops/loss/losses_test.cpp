// SPDX-License-Identifier: Apache-2.0
// Losses at infinities, where a formula would have inf - inf or 0 * inf: the limit holds. Values
// are in tests/cases, every check in tests/contract.
#include "aclnnop/aclnn_binary_cross_entropy_with_logits.h"
#include "aclnnop/aclnn_binary_cross_entropy_with_logits_backward.h"
#include "aclnnop/aclnn_ctc_loss.h"
#include "aclnnop/aclnn_kl_div.h"
#include "aclnnop/aclnn_nll_loss.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

constexpr int64_t kNone = 0;
constexpr int64_t kSum = 2;

class Losses : public AclTest {};

TEST_F(Losses, BinaryCrossEntropyOfInfiniteLogitsIsTheLimit) {
  const Values z = {-kInfinity, kInfinity, -kInfinity, -kInfinity, kInfinity, kInfinity, kNaN};
  const Values t = {0, 1, 1, 0.5L, 0, 0.5L, 1};
  const Values ones(7, 1), half(7, 0.5L), zeros(7, 0);
  struct Weights {
    const Values &weight, &positive;
    Values loss, slope;
  };
  for (const auto& [weight, positive, loss, slope] :
       {Weights{ones,
                ones,
                {0, 0, kInfinity, kInfinity, kInfinity, kInfinity, kNaN},
                {0, 0, -1, -0.5L, 1, 0.5L, kNaN}},
        // Without weight on the side that grows, nothing does.
        Weights{
            half, zeros, {0, 0, 0, 0, kInfinity, kInfinity, kNaN}, {0, 0, 0, 0, 0.5L, 0.25L, kNaN}},
        Weights{zeros, ones, {0, 0, 0, 0, 0, 0, kNaN}, {0, 0, 0, 0, 0, 0, kNaN}}}) {
    for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      const Array logits(dtype, {7}, {}, z), target(dtype, {7}, {}, t), w(dtype, {7}, {}, weight);
      const Array p(dtype, {7}, {}, positive), g(dtype, {7}, {}, ones), out(dtype, {7});
      ASSERT_TRUE(
          runs(PHASES(aclnnBinaryCrossEntropyWithLogits), logits, target, w, p, kNone, out));
      expect_near(out, loss, 0);
      ASSERT_TRUE(runs(PHASES(aclnnBinaryCrossEntropyWithLogitsBackward), g, logits, target, w, p,
                       kNone, out));
      expect_near(out, slope, 0);
    }
  }
}

// 0 log(0) is 0, and nothing else: PyTorch's target log(target) - target self.
TEST_F(Losses, ADivergenceKeepsWhatIsNoNumberOfSelf) {
  const Array self(ACL_FLOAT, {5}, {}, {kNaN, -kInfinity, -2, kNaN, -1});
  const Array target(ACL_FLOAT, {5}, {}, {0, 0, 0, 0.5L, 1}), out(ACL_FLOAT, {5});
  ASSERT_TRUE(runs(PHASES(aclnnKlDiv), self, target, kNone, false, out));
  expect_near(out, {kNaN, kNaN, 0, kNaN, 1}, 0);
}

// A blank among the labels has no meaning, so it is said rather than counted. Behind the labels it
// may stand as padding.
TEST_F(Losses, CtcRefusesTheBlankAsALabel) {
  const Array log_probs(ACL_FLOAT, {4, 2, 3}, {}, Values(24, -1.0986123L));
  const Array losses(ACL_FLOAT, {2}), alpha(ACL_FLOAT, {2, 4, 5});
  const IntArray steps({4, 4}), lengths({2, 1});
  const auto loss = [&](const Values& labels) {
    const Array targets(ACL_INT64, {2, 2}, {}, labels);
    return call(PHASES(aclnnCtcLoss), log_probs, targets, steps, lengths, int64_t{0}, false, losses,
                alpha);
  };
  EXPECT_EQ(loss({1, 2, 2, 0}), 0) << recent_message();
  expect_failure(loss({1, 0, 2, 0}), "label 1 of sample 0 is the blank 0");
}

TEST_F(Losses, AClassOfWeightZeroDoesNotCountHoweverUnlikely) {
  const Array self(ACL_FLOAT, {3, 2}, {-kInfinity, 0, -2, -1, kNaN, 0});
  const Array weight(ACL_FLOAT, {2}, {0, 1}), target(ACL_INT64, {3}, {0, 1, 0});
  const Array each(ACL_FLOAT, {3}), total(ACL_FLOAT, {});
  ASSERT_TRUE(runs(PHASES(aclnnNLLLoss), self, target, weight, kNone, int64_t{-100}, each, total));
  expect_near(each, {0, 1, 0}, 0);
  const Array two_rows(ACL_FLOAT, {2, 2}, {-kInfinity, 0, -2, -1}), targets(ACL_INT64, {2}, {0, 1});
  const Array sum(ACL_FLOAT, {});
  ASSERT_TRUE(
      runs(PHASES(aclnnNLLLoss), two_rows, targets, weight, kSum, int64_t{-100}, sum, total));
  EXPECT_EQ(sum.get(0), 1);
  EXPECT_EQ(total.get(0), 1);
}

}  // namespace
}  // namespace aclgrad::testing
