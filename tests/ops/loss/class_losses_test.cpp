// SPDX-License-Identifier: Apache-2.0
// Losses of classes: losses that are infinite, and labels out of range. Values are
// in tests/cases, every check in tests/contract.
#include "aclnnop/aclnn_cross_entropy_loss.h"
#include "aclnnop/aclnn_ctc_loss.h"
#include "aclnnop/aclnn_ctc_loss_backward.h"
#include "aclnnop/aclnn_multilabel_margin_loss.h"
#include "aclnnop/aclnn_nll_loss2d.h"
#include "aclnnop/aclnn_softmax_cross_entropy_with_logits.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing::class_losses {
namespace {

constexpr int64_t kNone = 0, kMean = 1, kSum = 2, kIgnored = -100;

using ClassLosses = AclTest;

// ---- Pictures -----------------------------------------------------------------------------------

class Pictures : public ClassLosses {
 protected:
  struct Scores {
    Array x{ACL_DOUBLE,
            {1, 3, 2, 2},
            {0, 0.1L, 0.2L, 0.3L, 0.4L, 0.5L, 0.6L, 0.7L, 0.8L, 0.9L, 1, 1.1L}};
    Array target{ACL_INT64, {1, 2, 2}, {0, 2, 1, kIgnored}};
    Array weight{ACL_DOUBLE, {3}, {1, 2, 3}};
    Array total{ACL_DOUBLE, {1}, {7}};
  };
  aclnnStatus loss(const Scores& of, int64_t reduction, const Array& out) {
    return call(PHASES(aclnnNLLLoss2d), of.x, of.target, of.weight, reduction, kIgnored, out,
                of.total);
  }
};

TEST_F(Pictures, WithAClassThatIsNoneHaveNoLoss) {
  Scores of;
  of.target.set(2, 3);
  const Array each(ACL_DOUBLE, {1, 2, 2}, {7, 7, 7, 7});
  expect_failure(loss(of, kNone, each), "target of row 2 is class 3");
  EXPECT_EQ(each.get(0), 7);
  EXPECT_EQ(of.total.get(0), 7);
}

TEST_F(Pictures, AllIgnoredHaveAMeanOfNaN) {
  Scores of;
  of.target.fill({kIgnored});
  const Array one(ACL_DOUBLE, {1});
  ASSERT_EQ(loss(of, kMean, one), 0) << recent_message();
  EXPECT_TRUE(std::isnan(one.get(0)));
  EXPECT_EQ(of.total.get(0), 0);
}

// ---- Sequences ----------------------------------------------------------------------------------

class Sequences : public ClassLosses {
 protected:
  struct Sample {
    Array log_probs, targets;
    IntArray steps, labels;
    Array losses, alpha;
  };
  aclnnStatus loss(const Sample& s) {
    return call(PHASES(aclnnCtcLoss), s.log_probs, s.targets, s.steps, s.labels, int64_t{0}, true,
                s.losses, s.alpha);
  }
  aclnnStatus gradient(const Sample& s, bool zero_infinity, const Array& g, const Array& out) {
    return call(PHASES(aclnnCtcLossBackward), g, s.log_probs, s.targets, s.steps, s.labels,
                s.losses, s.alpha, int64_t{0}, zero_infinity, out);
  }
};

Values logs(Values probabilities) {
  for (long double& each : probabilities) each = std::log(each);
  return probabilities;
}

// The second has no alignment, the third no steps, the last no labels either.
TEST_F(Sequences, WithoutAnAlignmentHaveAnInfiniteLoss) {
  const Values p = logs(Values(2 * 4 * 2, 0.5L));
  Sample s{{ACL_FLOAT, {2, 4, 2}, {}, p},
           {ACL_INT32, {4}, {1, 1, 1, 1}},
           IntArray(Shape{2, 2, 0, 0}),
           IntArray(Shape{1, 2, 1, 0}),
           {ACL_FLOAT, {4}},
           {ACL_FLOAT, {4, 2, 5}}};
  ASSERT_EQ(loss(s), 0) << recent_message();
  expect_near(s.losses, {std::log(4 / 3.0L), kInfinity, kInfinity, 0});
  EXPECT_EQ(s.alpha.get(3 * 10), 0);
  const Array g(ACL_FLOAT, {4}, {1, 1, 1, 1}), out(ACL_FLOAT, {2, 4, 2});
  ASSERT_EQ(gradient(s, true, g, out), 0) << recent_message();
  const Values first = {0.5L - 1 / 3.0L, 0.5L - 2 / 3.0L};
  expect_near(out, {first[0], first[1], 0, 0, 0, 0, 0, 0, first[0], first[1], 0, 0, 0, 0, 0, 0});
  ASSERT_EQ(gradient(s, false, g, out), 0) << recent_message();
  expect_near(out, {first[0], first[1], kNaN, kNaN, 0, 0, 0, 0, first[0], first[1], kNaN, kNaN, 0,
                    0, 0, 0});
}

// A class that cannot be has no share in the alignments, and its gradient is no NaN.
TEST_F(Sequences, WithAnImpossibleClassHaveTheLimit) {
  Sample s{{ACL_FLOAT, {2, 3}, {}, logs({0.5L, 0.5L, 0, 0.5L, 0.5L, 0})},
           {ACL_INT64, {1}, {1}},
           IntArray(Shape{2}),
           IntArray(Shape{1}),
           {ACL_FLOAT, {}},
           {ACL_FLOAT, {1, 2, 3}}};
  ASSERT_EQ(loss(s), 0) << recent_message();
  expect_near(s.losses, {std::log(4 / 3.0L)});
  const Array g(ACL_FLOAT, {}, {1}), out(ACL_FLOAT, {2, 3});
  ASSERT_EQ(gradient(s, false, g, out), 0) << recent_message();
  expect_near(out, {1 / 6.0L, -1 / 6.0L, 0, 1 / 6.0L, -1 / 6.0L, 0});
  s.targets.set(0, 2);
  ASSERT_EQ(loss(s), 0) << recent_message();
  EXPECT_EQ(s.losses.get(0), kInfinity);
}

TEST_F(Sequences, WithALabelThatIsNoClassFailTheTask) {
  Sample s{{ACL_FLOAT, {2, 2, 2}, {}, Values(8, -1)},
           {ACL_INT64, {2, 2}, {1, 9, -1, 1}},
           IntArray(Shape{2, 2}),
           IntArray(Shape{1, 1}),
           {ACL_FLOAT, {2}, {7, 7}},
           {ACL_FLOAT, {2, 2, 3}}};
  expect_failure(loss(s), "label 0 of sample 1 is -1, but must be in [0, 1]");
  EXPECT_EQ(s.losses.get(0), 7);
  s.targets.set(2, 1);  // the 9 is behind the sample's labels
  EXPECT_EQ(loss(s), 0) << recent_message();
}

// ---- Several classes, probabilities -------------------------------------------------------------

TEST_F(ClassLosses, MarginsAreBetweenTheClassesOfARowAndOthers) {
  Array x(ACL_FLOAT, {4}, {0.1L, 0.2L, 0.4L, 0.8L}), target(ACL_INT64, {4}, {3, 0, -1, 9});
  Array out(ACL_FLOAT, {}, {7}), is_target(ACL_FLOAT, {4}, {7, 7, 7, 7});
  const auto loss = [&](int64_t reduction) {
    return call(PHASES(aclnnMultilabelMarginLoss), x, target, reduction, out, is_target);
  };
  ASSERT_EQ(loss(kMean), 0) << recent_message();
  expect_near(out, {0.85L});
  expect_near(is_target, {1, 0, 0, 1});
  target.set(1, 4);
  out.set(0, 7);
  expect_failure(loss(kNone), "element 1 of row 0 of target is 4, but must be in [0, 3]");
  EXPECT_EQ(out.get(0), 7);
}

TEST_F(ClassLosses, OfSoftmaxAndProbabilities) {
  const Array x(ACL_FLOAT, {2, 3}, {1, 2, 3, 1, 1, -kInfinity});
  const Array y(ACL_FLOAT, {2, 3}, {0, 1, 0, 0.5L, 0.5L, 0});
  const Array losses(ACL_FLOAT, {2}), slopes(ACL_FLOAT, {2, 3});
  ASSERT_TRUE(runs(PHASES(aclnnSoftmaxCrossEntropyWithLogits), x, y, losses, slopes));
  expect_near(losses, {1.407606L, std::log(2.0L)});
  expect_near(slopes, {0.090031L, -0.755272L, 0.665241L, 0, 0, 0});
}

TEST_F(ClassLosses, CrossEntropyOfAClassThatIsNoneFailsTheTask) {
  const Array x(ACL_FLOAT, {3, 3}), target(ACL_INT64, {3}, {1, kIgnored, 3});
  const Array loss(ACL_FLOAT, {1}, {7}), logs(ACL_FLOAT, {3, 3});
  const aclTensor* const no_weight = nullptr;
  aclTensor* const none = nullptr;
  char mean[] = "mean";
  expect_failure(call(PHASES(aclnnCrossEntropyLoss), x, target, no_weight, mean, kIgnored, 0.3, 0.0,
                      false, loss, logs, none, none),
                 "target of row 2 is class 3");
}

}  // namespace
}  // namespace aclgrad::testing::class_losses
