// SPDX-License-Identifier: Apache-2.0
// Schedules, and the learning rate as a part of an optimizer.
#include "aclgrad/optim/schedule.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

#include "aclgrad/aclgrad.h"
#include "tests/support/run.h"

namespace aclgrad {
namespace {

TEST(Schedule, Constant) {
  const Schedule rate = schedule::constant(0.25);
  EXPECT_EQ(rate(0), 0.25);
  EXPECT_EQ(rate(1000000), 0.25);
}

TEST(Schedule, StepDecay) {
  const Schedule rate = schedule::step_decay(1, 0.5, 10);
  EXPECT_EQ(rate(9), 1);
  EXPECT_EQ(rate(10), 0.5);
  EXPECT_EQ(rate(39), 0.125);
  EXPECT_THROW(schedule::step_decay(1, 0.5, 0), ValueError);
}

TEST(Schedule, CosineWithWarmUp) {
  const Schedule rate = schedule::cosine(2, 4, 12, 0.5);
  EXPECT_DOUBLE_EQ(rate(0), 0.5);
  EXPECT_DOUBLE_EQ(rate(3), 2);
  EXPECT_DOUBLE_EQ(rate(4), 2);
  EXPECT_DOUBLE_EQ(rate(8), 1.25) << "half way between 2 and 0.5";
  EXPECT_NEAR(rate(6), 0.5 + 1.5 * (1 + std::sqrt(0.5)) / 2, 1e-12) << "a quarter of the way";
  EXPECT_DOUBLE_EQ(rate(12), 0.5);
  EXPECT_DOUBLE_EQ(rate(100), 0.5);
  EXPECT_EQ(schedule::cosine(2, 0, 10)(0), 2) << "without a warm-up";
  EXPECT_EQ(schedule::cosine(2, 3, 3)(3), 0) << "nothing but a warm-up";
  EXPECT_THROW(schedule::cosine(2, 5, 4), ValueError);
  EXPECT_THROW(schedule::cosine(2, -1, 4), ValueError);
}

TEST(Schedule, Polynomial) {
  const Schedule line = schedule::polynomial(2, 4), square = schedule::polynomial(2, 4, {2, 0.2});
  EXPECT_EQ(line(0), 2);
  EXPECT_DOUBLE_EQ(line(3), 0.5);
  EXPECT_EQ(line(4), 0);
  EXPECT_DOUBLE_EQ(square(1), 1.125);
  EXPECT_EQ(square(3), 0.2);
  EXPECT_EQ(square(9), 0.2);
}

// PyTorch's CosineAnnealingWarmRestarts.
TEST(Schedule, WarmRestarts) {
  const Schedule same = schedule::warm_restarts(2, 4, {.min_lr = 1});
  const Schedule longer = schedule::warm_restarts(2, 2, {.growth = 2});
  for (const std::int64_t begin : {0, 4, 400}) {
    EXPECT_DOUBLE_EQ(same(begin), 2);
    EXPECT_DOUBLE_EQ(same(begin + 2), 1.5);
  }
  for (const std::int64_t begin : {0, 2, 6, 14}) EXPECT_DOUBLE_EQ(longer(begin), 2) << begin;
  for (const std::int64_t middle : {1, 4, 10, 22}) EXPECT_DOUBLE_EQ(longer(middle), 1) << middle;
  EXPECT_NEAR(longer(13), 1 + std::cos(std::numbers::pi * 7 / 8), 1e-12);
}

// PyTorch's OneCycleLR(max_lr=1, total_steps=10).
TEST(Schedule, OneCycle) {
  const Schedule rate = schedule::one_cycle(1, 10);
  const auto cosine = [](double from, double to, double way) {
    return to + (from - to) * (1 + std::cos(std::numbers::pi * way)) / 2;
  };
  EXPECT_NEAR(rate(0), 0.04, 1e-15);
  EXPECT_DOUBLE_EQ(rate(1), 0.52);
  EXPECT_DOUBLE_EQ(rate(2), 1);
  EXPECT_DOUBLE_EQ(rate(3), cosine(1, 4e-6, 1.0 / 7));
  EXPECT_DOUBLE_EQ(rate(9), 4e-6);
  EXPECT_DOUBLE_EQ(rate(1000), 4e-6);
  const Schedule only_up = schedule::one_cycle(1, 10, {.warm_up_share = 1});
  EXPECT_DOUBLE_EQ(only_up(8), cosine(0.04, 1, 8.0 / 9));
  EXPECT_DOUBLE_EQ(only_up(9), 1) << "the last step has the peak";
  EXPECT_DOUBLE_EQ(only_up(10), 4e-6);
  EXPECT_DOUBLE_EQ(schedule::one_cycle(1, 2, {.warm_up_share = 0.5})(0), 1);
  EXPECT_LT(schedule::one_cycle(1, 10, {.warm_up_share = 0})(0), 1);
}

TEST(Schedule, TheirOptionsHaveRanges) {
  const double nan = std::nan("");
  EXPECT_THROW(schedule::polynomial(1, 0), ValueError);
  EXPECT_THROW(schedule::polynomial(nan, 1), ValueError);
  EXPECT_THROW(schedule::polynomial(1, 1, {.power = -1}), ValueError);
  EXPECT_THROW(schedule::polynomial(1, 1, {.min_lr = nan}), ValueError);
  EXPECT_THROW(schedule::warm_restarts(1, 0), ValueError);
  EXPECT_THROW(schedule::warm_restarts(1, 1, {.growth = 0}), ValueError);
  EXPECT_THROW(schedule::one_cycle(1, 1), ValueError);
  EXPECT_THROW(schedule::one_cycle(1, 9, {.warm_up_share = 1.5}), ValueError);
  EXPECT_THROW(schedule::one_cycle(1, 9, {.start_divisor = 0}), ValueError);
  EXPECT_THROW(schedule::one_cycle(1, 9, {.end_divisor = nan}), ValueError);
  EXPECT_THROW(schedule::plateau(-1), ValueError);
  EXPECT_THROW(schedule::plateau(1, {.factor = 1}), ValueError);
  EXPECT_THROW(schedule::plateau(1, {.factor = 0}), ValueError);
  EXPECT_THROW(schedule::plateau(1, {.patience = -1}), ValueError);
  EXPECT_THROW(schedule::plateau(1, {.threshold = nan}), ValueError);
  EXPECT_THROW(schedule::plateau(1, {.cooldown = -1}), ValueError);
  EXPECT_THROW(schedule::plateau(1, {.min_lr = -1}), ValueError);
}

// A variable p = [1, -2] whose gradient is fed.
struct Fed {
  Graph graph;
  Value p = graph.parameter("p", Tensor::from({2}, {1, -2}));
  Value gradient = graph.input("gradient", {2});
  Gradients gradients{{{p, gradient}}};
  Variable variable = *p.variable();
};

TEST(Scheduled, TheRateIsPartOfTheState) {
  Fed fed;
  Sgd sgd({.learning_rate = schedule::constant(1)});
  static_cast<void>(sgd.step(fed.graph, fed.gradients));
  EXPECT_THAT(names_in(sgd.state()), testing::ElementsAre("@sgd.learning_rate"));
  Fed other;
  AdamW adam({.learning_rate = schedule::constant(1)});
  static_cast<void>(adam.step(other.graph, other.gradients));
  EXPECT_THAT(names_in(adam.state()),
              testing::ElementsAre("@adamw.steps", "p@first_moment", "p@second_moment",
                                   "@adamw.learning_rate"));
}

TEST(Scheduled, AFixedRateCannotBeChanged) {
  EXPECT_THROW(Sgd().set_learning_rate(1), ValueError);
  EXPECT_THROW(AdamW().set_learning_rate(1), ValueError);
}

// But a Trainer records its next step anew.
TEST(Scheduled, ATrainerChangesANumberToo) {
  struct Slope : Module {
    Variable w{parameter("w", Tensor::from({1}, {1}))};
    Value operator()(const Value& x) const { return x * x.graph().parameter(w); }
  };
  const data::Dataset one{Tensor::from({1}, {1}), {}};
  for (const bool scales : {false, true}) {
    const Slope model;
    Sgd sgd({.learning_rate = 0.5, .momentum = 0.5});
    TrainerOptions options;
    if (scales) options.loss_scaling = LossScalerOptions{};
    Trainer trainer(
        model, [&](const Value& x) { return mean(model(x)); }, sgd, options);
    const auto w_after = [&](std::optional<double> rate) {
      trainer.set_learning_rate(rate);
      trainer.step(one);
      return model.w.value().get(0);
    };
    // The gradient is 1, and the velocity 1, 1.5, 1.75, 1.875.
    EXPECT_FLOAT_EQ(static_cast<float>(w_after({})), 0.5F);
    EXPECT_FLOAT_EQ(static_cast<float>(w_after(0.25)), 0.5F - 0.375F);
    EXPECT_EQ(trainer.learning_rate(), 0.25);
    EXPECT_FLOAT_EQ(static_cast<float>(w_after(0)), 0.125F);
    EXPECT_FLOAT_EQ(static_cast<float>(w_after({})), 0.125F - 0.9375F);
    EXPECT_EQ(trainer.learning_rate(), 0.5);
    EXPECT_THROW(trainer.set_learning_rate(-1), ValueError);
  }
}

}  // namespace
}  // namespace aclgrad
