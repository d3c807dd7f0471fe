// SPDX-License-Identifier: Apache-2.0
// Schedules, and optimizers whose learning rate changes without recording anew.
#include "aclgrad/schedule.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

#include "aclgrad/aclgrad.h"

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

// A variable p = [1, -2] whose gradient is fed, updated by one session all along.
struct Fed {
  Graph graph;
  Value p = graph.parameter("p", Tensor::from({2}, {1, -2}));
  Value gradient = graph.input("gradient", {2});
  Gradients gradients{{{p, gradient}}};
  Variable variable = *p.variable();
};

const double kGradients[4][2] = {{1, 2}, {3, 0}, {0, -1}, {-0.5, 0.25}};
const double kRates[4] = {0.1, 0.05, 0, 0.2};

template <class Optimizer>
void run(Fed& fed, Optimizer& optimizer) {
  Session session(fed.graph, {optimizer.step(fed.graph, fed.gradients)});
  for (int i = 0; i < 4; ++i) {
    optimizer.set_learning_rate(kRates[i]);
    session.run({{fed.gradient, Tensor::from({2}, std::span<const double>(kGradients[i]))}});
  }
}

TEST(ScheduledSgd, FollowsTheRateWithoutRecordingAnew) {
  Fed fed;
  Sgd sgd({.learning_rate = schedule::constant(1), .momentum = 0.9, .weight_decay = 0.01});
  run(fed, sgd);
  double p[2] = {1, -2};
  double v[2] = {0, 0};
  for (int t = 0; t < 4; ++t) {
    for (int i = 0; i < 2; ++i) {
      v[i] = kGradients[t][i] + 0.01 * p[i] + 0.9 * v[i];
      p[i] -= kRates[t] * v[i];
    }
  }
  EXPECT_NEAR(fed.variable.value().get(0), p[0], 1e-6);
  EXPECT_NEAR(fed.variable.value().get(1), p[1], 1e-6);
}

void adam_w(double decay) {
  Fed fed;
  AdamW adam({.learning_rate = schedule::constant(1), .weight_decay = decay});
  run(fed, adam);
  double p[2] = {1, -2};
  double m[2] = {0, 0};
  double v[2] = {0, 0};
  for (int t = 1; t <= 4; ++t) {
    for (int i = 0; i < 2; ++i) {
      const double g = kGradients[t - 1][i];
      m[i] = 0.9 * m[i] + 0.1 * g;
      v[i] = 0.999 * v[i] + 0.001 * g * g;
      const double u =
          m[i] / (1 - std::pow(0.9, t)) / (std::sqrt(v[i] / (1 - std::pow(0.999, t))) + 1e-8);
      p[i] -= kRates[t - 1] * (u + decay * p[i]);
    }
  }
  EXPECT_NEAR(fed.variable.value().get(0), p[0], 1e-6);
  EXPECT_NEAR(fed.variable.value().get(1), p[1], 1e-6);
}

TEST(ScheduledAdamW, FollowsTheRateWithoutRecordingAnew) { adam_w(0); }
TEST(ScheduledAdamW, DecaysByTheRateToo) { adam_w(0.05); }

TEST(ScheduledAdamW, GivesWhatAFixedRateGivesUpToRounding) {
  Fed fixed;
  Fed scheduled;
  AdamW a({.learning_rate = 0.01, .weight_decay = 0.1});
  AdamW b({.learning_rate = schedule::constant(0.01), .weight_decay = 0.1});
  Session one(fixed.graph, {a.step(fixed.graph, fixed.gradients)});
  Session two(scheduled.graph, {b.step(scheduled.graph, scheduled.gradients)});
  for (int i = 0; i < 50; ++i) {
    const Tensor gradient = Tensor::from({2}, {std::sin(i), std::cos(2 * i)});
    one.run({{fixed.gradient, gradient}});
    two.run({{scheduled.gradient, gradient}});
  }
  EXPECT_TRUE(allclose(fixed.variable.value(), scheduled.variable.value(), 1e-5, 1e-6))
      << fixed.variable.value() << " and " << scheduled.variable.value();
}

TEST(Scheduled, TheRateIsPartOfTheState) {
  const auto names = [](const std::vector<Variable>& variables) {
    std::vector<std::string> list;
    for (const Variable& variable : variables) list.push_back(variable.name());
    return list;
  };
  Fed fed;
  Sgd sgd({.learning_rate = schedule::constant(1)});
  static_cast<void>(sgd.step(fed.graph, fed.gradients));
  EXPECT_THAT(names(sgd.state()), testing::ElementsAre("@sgd.learning_rate"));
  Fed other;
  AdamW adam({.learning_rate = schedule::constant(1)});
  static_cast<void>(adam.step(other.graph, other.gradients));
  EXPECT_THAT(names(adam.state()), testing::ElementsAre("@adamw.steps", "p@first_moment",
                                                        "p@second_moment", "@adamw.learning_rate"));
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
