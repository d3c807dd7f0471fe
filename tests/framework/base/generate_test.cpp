// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/nn/generate.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "aclgrad/error.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

using testing::ElementsAre;

constexpr double kNever = -std::numeric_limits<double>::infinity();

std::vector<int> counts(const std::vector<double>& scores, const SampleOptions& options,
                        int draws = 4000) {
  std::vector<int> drawn(scores.size(), 0);
  const Tensor row = Tensor::from({static_cast<std::int64_t>(scores.size())}, scores);
  RandomSequence random(1);
  for (int i = 0; i < draws; ++i) {
    ++drawn[static_cast<std::size_t>(sample(row, random, options).item())];
  }
  return drawn;
}

// As often as softmax says: within five deviations of 4000 draws.
TEST(Sample, DrawsByTheProbabilities) {
  const std::vector<double> scores = {std::log(0.1), std::log(0.6), std::log(0.3), kNever};
  const std::vector<int> drawn = counts(scores, {});
  EXPECT_NEAR(drawn[0], 400, 95);
  EXPECT_NEAR(drawn[1], 2400, 155);
  EXPECT_EQ(drawn[3], 0);
  const std::vector<int> bold = counts(scores, {.temperature = 0.5});  // 1 : 36 : 9
  EXPECT_NEAR(bold[1], 4000 * 36 / 46.0, 130);
}

TEST(Sample, LeavesOutWhatOptionsLeaveOut) {
  const std::vector<double> scores = {std::log(0.1), std::log(0.6), std::log(0.3)};
  EXPECT_THAT(counts(scores, {.temperature = 0}), ElementsAre(0, 4000, 0));
  EXPECT_THAT(counts(scores, {.top_k = 1}), ElementsAre(0, 4000, 0));
  EXPECT_EQ(counts(scores, {.top_k = 2})[0], 0);
  EXPECT_NEAR(counts(scores, {.top_k = 2})[1], 4000 * 2 / 3.0, 150);
  EXPECT_THAT(counts(scores, {.top_p = 0.5}), ElementsAre(0, 4000, 0));
  EXPECT_EQ(counts(scores, {.top_p = 0.7})[0], 0);
  EXPECT_GT(counts(scores, {.top_p = 0.95})[0], 0);
  EXPECT_GT(counts(scores, {.top_k = 99})[0], 0);
  EXPECT_THAT(counts({2, 2, 2}, {.temperature = 0}, 10), ElementsAre(10, 0, 0));
}

TEST(Sample, TakesEveryRowAndDtype) {
  for (const DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
    const Tensor scores = Tensor::from({2, 2, 2}, {0, 9, 9, 0, 9, 0, 0, 9}, dtype);
    RandomSequence random(1);
    const Tensor drawn = sample(scores, random, {.temperature = 0});
    EXPECT_EQ(drawn.shape(), (Shape{2, 2}));
    EXPECT_THAT(drawn.data<std::int64_t>(), ElementsAre(1, 0, 0, 1));
    EXPECT_EQ(random.index(), 4u);
  }
  RandomSequence random(1);
  EXPECT_EQ(sample(Tensor::zeros({0, 3}), random).numel(), 0);
}

TEST(Sample, SaysWhatDoesNotFit) {
  RandomSequence random(1);
  const double nan = std::nan("");
  const Tensor two = Tensor::zeros({2});
  for (const double bad : {-1.0, nan, -kNever}) {
    EXPECT_THROW(sample(two, random, {.temperature = bad}), ValueError);
  }
  for (const double bad : {0.0, 1.5, nan}) {
    EXPECT_THROW(sample(two, random, {.top_p = bad}), ValueError);
  }
  EXPECT_THROW(sample(two, random, {.top_k = -1}), ValueError);
  EXPECT_THROW(sample(Tensor::zeros({2, 0}), random), ValueError);
  EXPECT_THROW(sample(Tensor::scalar(1), random), ValueError);
  EXPECT_THROW(sample(Tensor::from({2}, {nan, 1}), random), ValueError);
  EXPECT_THROW(sample(Tensor::from({2}, {1, -kNever}), random), ValueError);
  EXPECT_THROW(sample(Tensor::from({2}, {kNever, kNever}), random), ValueError);
  EXPECT_THROW(sample(Tensor::zeros({2}, DType::int32), random), DTypeError);
}

// A model that counts: after n comes n + 1.
Tensor successor(const Tensor& tokens) {
  const std::int64_t rows = tokens.shape()[0], places = tokens.shape()[1];
  Tensor scores = Tensor::zeros({rows, places, 10});
  for (std::int64_t i = 0; i < rows * places; ++i) {
    scores.set(i * 10 + (static_cast<std::int64_t>(tokens.get(i)) + 1) % 10, 50);
  }
  return scores;
}

TEST(Generate, GoesOnFromThePrompt) {
  const Tensor prompt = Tensor::from({2, 2}, {0, 1, 6, 7}, DType::int64);
  RandomSequence random(1);
  for (const std::int64_t context : {0, 1, 3, 8}) {
    std::vector<std::int64_t> widths;
    const auto model = [&](const Tensor& tokens) {
      widths.push_back(tokens.shape()[1]);
      return successor(tokens);
    };
    const Tensor made = generate(model, prompt, random, {.length = 3, .context = context});
    EXPECT_THAT(made.data<std::int64_t>(), ElementsAre(0, 1, 2, 3, 4, 6, 7, 8, 9, 0));
    if (context == 0) {
      EXPECT_THAT(widths, ElementsAre(2, 3, 4));
    } else {
      EXPECT_THAT(widths, ElementsAre(context, context, context));
    }
  }
  const Tensor ended = generate(successor, prompt, random, {.length = 5, .end = 3});
  EXPECT_THAT(ended.slice(0, 0, 1).data<std::int64_t>(), ElementsAre(0, 1, 2, 3, 3, 3, 3));
  const Tensor both = generate(successor, prompt.slice(0, 0, 1), random, {.length = 50, .end = 3});
  EXPECT_THAT(both.data<std::int64_t>(), ElementsAre(0, 1, 2, 3));
  EXPECT_TRUE(bitwise_equal(generate(successor, prompt, random, {.length = 0}), prompt));
  EXPECT_EQ(generate(successor, Tensor::zeros({0, 2}, DType::int64), random).numel(), 0);
}

TEST(Generate, SaysWhatDoesNotFit) {
  RandomSequence random(1);
  const Tensor prompt = Tensor::zeros({1, 2}, DType::int64);
  EXPECT_THAT(message_of<ValueError>([&] {
                generate(nullptr, Tensor::zeros({1, 2}, DType::int64), random);
              }),
              testing::HasSubstr("generate needs a model"));
  EXPECT_THROW(generate(successor, Tensor::zeros({2}, DType::int64), random), ShapeError);
  EXPECT_THROW(generate(successor, Tensor::zeros({1, 0}, DType::int64), random), ShapeError);
  EXPECT_THROW(generate(successor, Tensor::zeros({1, 2}), random), ShapeError);
  EXPECT_THROW(generate(successor, prompt, random, {.length = -1}), ValueError);
  EXPECT_THROW(generate(successor, prompt, random, {.context = -1}), ValueError);
  EXPECT_THROW(generate(successor, prompt, random, {.length = 0, .top_p = 2}), ValueError);
  const auto flat = [](const Tensor& tokens) { return Tensor::zeros({tokens.shape()[0], 3}); };
  EXPECT_THROW(generate(flat, prompt, random), ShapeError);
}

}  // namespace
}  // namespace aclgrad
