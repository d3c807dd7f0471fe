// SPDX-License-Identifier: Apache-2.0
// A batch in parts, and an evaluation in pieces: the numbers of the whole, whatever the loss
// counts.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "aclgrad/aclgrad.h"
#include "tests/framework/training/splitting.h"
#include "tests/support/message_of.h"
#include "tests/support/run.h"

namespace aclgrad {
namespace {

using testing::HasSubstr;

TEST(SplitLoss, TakesEveryLossWithEveryReduction) {
  using Recorded = Value (*)(const Value&, const Value&, Reduction);
  const std::vector<Recorded> losses = {
      [](const Value& y, const Value& t, Reduction r) { return mse_loss(y, t, r); },
      [](const Value& y, const Value& t, Reduction r) { return l1_loss(y, t, r); },
      [](const Value& y, const Value& t, Reduction r) {
        return smooth_l1_loss(y, t, {.beta = 0.5, .reduction = r});
      },
      [](const Value& y, const Value& t, Reduction r) {
        return bce_with_logits(y, sigmoid(t), {.reduction = r});
      },
      [](const Value& y, const Value& t, Reduction r) {
        return binary_cross_entropy(sigmoid(y), sigmoid(t), {.reduction = r});
      },
      [](const Value& y, const Value& t, Reduction r) { return soft_margin_loss(y, t, r); }};
  for (const Recorded loss : losses) {
    for (const Reduction reduction : {Reduction::mean, Reduction::sum, Reduction::none}) {
      expect_splits(regression(), kWeight, [&](const Module&, const Value& y, const Value& t) {
        const Value value = loss(y, t, reduction);
        return reduction == Reduction::none ? mean(reduce_sum(value, {1})) : value * 0.5;
      });
    }
  }
}

// The number of examples, taken from the shape, is that of the part.
TEST(SplitLoss, DividesByTheNumberOfExamples) {
  expect_splits(regression(), kWeight, [](const Module&, const Value& y, const Value& t) {
    const auto n = static_cast<double>(y.shape()[0]);
    const Value sum = reduce_sum(mse_loss(y, t, Reduction::none));
    const Value each = reduce_sum((y - t) * (1 / n), {0});
    return sum / n + reduce_sum(each) + sum / y.graph().constant(Tensor::scalar(n));
  });
}

// By the weights as they are at the number of examples, and by the mean once for each example.
TEST(SplitLoss, CountsWhatStandsBesideTheExamplesOnce) {
  expect_splits(regression(), kWeight, [](const Module& model, const Value& y, const Value& t) {
    const Value weight = reduce_sum(y.graph().parameter(model.parameters()[0]));
    return mse_loss(y, t) + weight * static_cast<double>(y.shape()[0]) +
           reduce_sum(expand(mse_loss(y, t), Shape{y.shape()[0]}));
  });
}

// Axes in another order, examples side by side, in two halves, and with what is drawn for them.
TEST(SplitLoss, FollowsTheExamplesThroughShapes) {
  expect_splits(regression(), kWeight, [](const Module&, const Value& y, const Value& t) {
    const Value across = transpose(y, 0, 1);  // [4, n]
    const Value flat = reshape(across, {across.shape().numel()});
    const Value pair = cat({y, t}, 0);  // [2n, 4]
    const std::vector<Value> halves = split(tanh(pair), y.shape()[0], 0);
    const Value rows = expand(reshape(t, {t.shape()[0], 1, 4}), Shape{t.shape()[0], 2, 4});
    return mean(flat * flat) + mse_loss(halves[0], halves[1]) +
           mean(log_softmax(rows + reshape(y, {y.shape()[0], 1, 4})));
  });
}

TEST(SplitLoss, LooksUpWeightsAndStacksTerms) {
  expect_splits(classes(), kWeight, [](const Module&, const Value& y, const Value& t) {
    const Value known = cast(clamp(t, {.min = 0}), DType::int64);
    const Value weight = y.graph().constant(Tensor::from({4}, {1, 0.25, 3, 2}));
    const Value each =
        cross_entropy(y, t, {.reduction = Reduction::none}) * index_select(weight, 0, known);
    return mean(stack({mean(each), mean(gather(y, 1, reshape(known, {known.shape()[0], 1})))}));
  });
}

TEST(SplitLoss, HasTheSameOfBothWhenNoTargetCounts) {
  data::Dataset none = classes();
  for (std::int64_t i = 0; i < 7; ++i) none.labels.set(i, kIgnoreIndex);
  const LossOf loss = [](const Module&, const Value& y, const Value& t) {
    return cross_entropy(y, t);
  };
  const Step whole = step_in(1, none, kWeight, loss), split = step_in(3, none, kWeight, loss);
  EXPECT_TRUE(std::isnan(whole.loss));
  EXPECT_TRUE(std::isnan(split.loss));
  EXPECT_EQ(largest_difference(split.weight, whole.weight), 0);
}

TEST(SplitLoss, SumsOf16BitsDoNotOverflow) {
  data::Dataset many{Tensor::full({600, 1}, 1), Tensor::zeros({600}, DType::int64)};
  for (const DType dtype : {DType::float16, DType::bfloat16}) {
    Product model(Tensor::from({1, 2}, {-100, 100}));
    Sgd sgd({.learning_rate = 1});
    Trainer trainer(
        model,
        [&](const Value& x, const Value& t) { return cross_entropy(cast(model(x), dtype), t); },
        sgd, {.micro_batches = 2});
    EXPECT_EQ(trainer.evaluate(many, 512), 200) << "the sum is 120,000";
    EXPECT_EQ(trainer.step(many), 200);
    EXPECT_NEAR(model.w.value().get(0), -99, 0.01);
  }
}

// As the program of the report: ignored targets {0, 1, 0, -100}, and a part that has none.
TEST(SplitLoss, AgreesWithNumbersWorkedOutByHand) {
  const data::Dataset four{Tensor::from({4, 1}, {1, 2, 3, 4}),
                           Tensor::from({4}, {0, 1, 0, -100}, DType::int64)};
  const data::Dataset two{Tensor::from({2, 1}, {1, 2}), Tensor::from({2}, {0, -100}, DType::int64)};
  const LossOf loss = [](const Module&, const Value& y, const Value& t) {
    return cross_entropy(y, t);
  };
  for (const std::int64_t parts : {1, 2}) {
    EXPECT_NEAR(step_in(parts, four, Tensor::zeros({1, 2}), loss).weight.get(0), 1.0 / 3, 1e-6);
    const Step half = step_in(parts, two, Tensor::zeros({1, 2}), loss);
    EXPECT_NEAR(half.weight.get(0), 0.5, 1e-6);
    EXPECT_NEAR(half.loss, std::log(2.0), 1e-6);
  }
  Product model(Tensor::from({1, 2}, {1, 0}));
  Sgd sgd;
  Trainer trainer(model, cross_entropy_of(model), sgd);
  data::Dataset unseen = four;
  EXPECT_NEAR(trainer.evaluate(unseen, 4), 0.82959, 1e-5);
  EXPECT_NEAR(trainer.evaluate(unseen, 2), 0.82959, 1e-5);
  unseen.labels = Tensor::from({4}, {0, 1, -100, -100}, DType::int64);
  EXPECT_NEAR(trainer.evaluate(unseen, 4), 1.22009, 1e-5);
  EXPECT_NEAR(trainer.evaluate(unseen, 2), 1.22009, 1e-5);
  data::Dataset many{Tensor::full({257, 1}, 1), Tensor::zeros({257}, DType::int64)};
  for (int i = 0; i < 256; ++i) many.labels.set(i, i % 2);
  many.labels.set(256, -100);
  EXPECT_NEAR(trainer.evaluate(many, 257), 0.81326, 1e-5);
  EXPECT_NEAR(trainer.evaluate(many), 0.81326, 1e-5) << "256 at a time, and one that is ignored";
}

// A function of means is evaluated in pieces all the same, where it is put together at the end.
TEST(SplitLoss, EvaluatesWhatIsMadeOfMeans) {
  Product model(kWeight);
  Sgd sgd;
  Trainer trainer(model,
                  [&](const Value& x, const Value& t) { return sqrt(mse_loss(model(x), t)); }, sgd,
                  {.micro_batches = 2});
  const double whole = trainer.evaluate(regression(), 0);
  for (const std::int64_t piece : {1, 2, 3, 6}) {
    EXPECT_NEAR(trainer.evaluate(regression(), piece), whole, 1e-6 * whole);
  }
  EXPECT_THAT(message_of<ValueError>([&] { trainer.step(regression()); }),
              testing::AllOf(HasSubstr("a batch of 7 examples is not made of those of its parts"),
                             HasSubstr("`sqrt` (training/split_loss_test.cpp:"),
                             HasSubstr("1 micro-batch, 1 rank")));
}

// What one example's loss takes from the others.
TEST(SplitLoss, FollowsExamplesWithoutElements) {
  expect_splits(regression(), kWeight, [](const Module&, const Value& y, const Value& t) {
    const Value nothing = transpose(slice(y, 1, 0, 0), 0, 1);  // [0, n]
    return mse_loss(y, t) + reduce_sum(reshape(nothing, {y.shape()[0], 0}));
  });
}

TEST(SplitLoss, RefusesLossesThatPartsDoNotAddUpTo) {
  const std::vector<std::pair<const char*, LossOf>> losses = {
      {"`mul`",
       [](const Module&, const Value& y, const Value& t) {
         const Value error = mse_loss(y, t);
         return error * error;
       }},
      {"`amax`", [](const Module&, const Value& y,
                    const Value& t) { return amax(mse_loss(y, t, Reduction::none)); }},
      {"`sub`", [](const Module&, const Value& y,
                   const Value& t) { return mse_loss(y - mean(y, {0}, true), t); }},
      {"`softmax`",
       [](const Module&, const Value& y, const Value& t) { return mse_loss(softmax(y, 0), t); }},
      {"`mean`", [](const Module&, const Value& y,
                    const Value&) { return mean(exp(matmul(y, transpose(y, 0, 1)))); }},
      {"`matmul`", [](const Module&, const Value& y,
                      const Value& t) { return reduce_sum(exp(matmul(y, transpose(t, 0, 1)))); }},
      {"`slice`", [](const Module&, const Value& y,
                     const Value& t) { return mse_loss(slice(y, 0, 0, 1), slice(t, 0, 0, 1)); }},
      {"`cumsum`",
       [](const Module&, const Value& y, const Value& t) { return mse_loss(cumsum(y, 0), t); }},
      {"`mse_loss`",
       [](const Module&, const Value& y, const Value& t) { return mse_loss(y, flip(t, {0})); }},
      {"`div`",
       [](const Module&, const Value& y, const Value& t) {
         return reduce_sum(mse_loss(y, t, Reduction::none)) / reduce_sum(exp(y));
       }},
      {"`div`",  // by a weight of which the part has another one
       [](const Module&, const Value& y, const Value& t) {
         const Value weight = exp(t) / reduce_sum(exp(t));
         return reduce_sum(mse_loss(y, t, Reduction::none) * weight);
       }},
      {"`constant`",
       [](const Module&, const Value& y, const Value& t) {
         return mean(mse_loss(y, t, Reduction::none) *
                     y.graph().constant(init::normal({y.shape()[0], 4}, 5)));
       }},
      {"`arange`", [](const Module&, const Value& y, const Value& t) {
         const Value number = arange(y.graph(), 0, static_cast<double>(y.shape()[0]));
         return mean(mse_loss(y, t, Reduction::none) * reshape(number, {y.shape()[0], 1}));
       }}};
  for (const auto& [node, loss] : losses) {
    for (const Tensor& weight : {kWeight, Tensor::zeros({3, 4})}) {  // where examples look alike
      EXPECT_THAT(message_of<ValueError>([&] { step_in(2, regression(), weight, loss); }),
                  testing::AllOf(HasSubstr("not made of those of its parts"), HasSubstr(node)));
    }
    EXPECT_NO_THROW(step_in(1, regression(), kWeight, loss)) << node << ", in one part";
  }
  Product model(kWeight);
  Sgd sgd;
  Trainer trainer(
      model,
      [&](const Value& x, const Value& t) { return amax(mse_loss(model(x), t, Reduction::none)); },
      sgd, {.evaluation_batch = 0});
  EXPECT_THAT(message_of<ValueError>([&] { trainer.evaluate(regression(), 2); }),
              testing::AllOf(HasSubstr("more than 2 examples"), HasSubstr("`amax`"),
                             HasSubstr("a batch size of 0")));
  EXPECT_TRUE(std::isfinite(trainer.evaluate(regression()))) << "the option takes all at once";
}

TEST(SplitLoss, MillionsOfPartsCostNothing) {
  const LossOf loss = [](const Module&, const Value& y, const Value& t) { return mse_loss(y, t); };
  const Step whole = step_in(1, regression(), kWeight, loss);
  for (const std::int64_t parts :
       {std::int64_t{1} << 40, std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_NEAR(step_in(parts, regression(), kWeight, loss).loss, whole.loss, 1e-6);
  }
}

TEST(SplitLoss, SharesOutExamples) {
  const MicroBatches four(4, 0, 1);
  std::vector<std::int64_t> begins;
  for (std::int64_t i = 0; i <= 4; ++i) begins.push_back(four.begin(i, 7));
  EXPECT_THAT(begins, testing::ElementsAre(0, 2, 4, 6, 7));
  EXPECT_EQ(four.used_in(3), 3);
  EXPECT_EQ(four.used_in(0), 1) << "an empty batch is one of its parts";
  EXPECT_FALSE(four.are_equal_in(7));
  // Quarters of 4 ranks, by the order in which their sums are added up.
  std::vector<std::int64_t> quarters;
  for (std::int64_t rank = 0; rank < 4; ++rank) {
    quarters.push_back(MicroBatches(8, rank, 4).begin(0, 8) / 2);
  }
  EXPECT_THAT(quarters, testing::ElementsAre(0, 2, 1, 3));
}

}  // namespace
}  // namespace aclgrad
