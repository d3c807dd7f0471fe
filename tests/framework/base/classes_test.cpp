// SPDX-License-Identifier: Apache-2.0
// What a classifier got right, class by class, and what unbalanced classes weigh.
#include <gmock/gmock.h>

#include <numeric>

#include "aclgrad/data.h"
#include "aclgrad/error.h"
#include "aclgrad/random.h"
#include "tests/support/message_of.h"

namespace aclgrad::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Tensor classes(std::initializer_list<double> numbers) {
  return Tensor::from({static_cast<std::int64_t>(numbers.size())}, numbers, DType::int64);
}

TEST(ClassScores, AreSharesOfWhatWasPredictedAndOfWhatThereIs) {
  const Tensor actual = classes({0, 0, 0, 1, 1, 2}), predicted = classes({0, 0, 1, 1, 0, 1});
  EXPECT_TRUE(bitwise_equal(
      confusion_matrix(predicted, actual, 4),
      Tensor::from({4, 4}, {2, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}, DType::int64)));
  const ClassScores scores = class_scores(predicted, actual, 4);
  EXPECT_THAT(scores.precision, ElementsAre(2.0 / 3, 1.0 / 3, 0, 0));
  EXPECT_THAT(scores.recall, ElementsAre(2.0 / 3, 0.5, 0, 0));
  EXPECT_THAT(scores.f1, ElementsAre(2.0 / 3, 0.4, 0, 0));
  EXPECT_THAT(scores.counts, ElementsAre(3, 2, 1, 0));
}

// The recalls, each with the weight of its class, are the accuracy.
TEST(ClassScores, AgreeWithTheAccuracy) {
  RandomSequence random(1);
  for (int i = 0; i < 50; ++i) {
    Tensor actual = Tensor::zeros({40}, DType::int64),
           predicted = Tensor::zeros({40}, DType::int32);
    for (std::int64_t k = 0; k < 40; ++k) {
      actual.set(k, static_cast<double>(random.below(5)));
      predicted.set(k, random.below(2) == 0 ? actual.get(k) : static_cast<double>(random.below(5)));
    }
    const ClassScores scores = class_scores(predicted, actual, 5);
    double right = 0;
    for (std::size_t c = 0; c < 5; ++c)
      right += scores.recall[c] * static_cast<double>(scores.counts[c]);
    EXPECT_NEAR(right / 40, accuracy(predicted, actual), 1e-12);
    EXPECT_EQ(std::accumulate(scores.counts.begin(), scores.counts.end(), std::int64_t{0}), 40);
  }
}

TEST(ClassScores, SayWhatIsNoClass) {
  EXPECT_THAT(message_of<ValueError>([] { class_scores(classes({3}), classes({0}), 3); }),
              HasSubstr("example 0: the class predicted 3 is none of 0 .. 2"));
  EXPECT_THROW(class_scores(classes({0}), classes({-1}), 3), ValueError);
  EXPECT_THROW(class_scores(classes({0, 1}), classes({0}), 3), ShapeError);
  EXPECT_THROW(class_scores(classes({0}), classes({0}), 0), ValueError);
}

TEST(ClassWeights, GiveEachClassThatThereIsTheSameSum) {
  const Tensor labels = classes({0, 0, 0, 0, 2, 2});
  EXPECT_TRUE(bitwise_equal(class_weights(labels, 4), Tensor::from({4}, {0.75, 0, 1.5, 0})));
  const std::vector<double> by_example = balanced_weights(labels);
  for (std::size_t i = 0; i < by_example.size(); ++i) {
    const auto label = static_cast<std::int64_t>(labels.get(static_cast<std::int64_t>(i)));
    EXPECT_EQ(class_weights(labels, 4).get(label), by_example[i]);
  }
  EXPECT_THROW(class_weights(labels, 2), ValueError);
  EXPECT_THROW(class_weights(Tensor::zeros({2}), 2), DTypeError);
  EXPECT_THROW(class_weights(labels, 0), ValueError);
}

}  // namespace
}  // namespace aclgrad::data
