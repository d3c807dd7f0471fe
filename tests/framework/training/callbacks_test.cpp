// SPDX-License-Identifier: Apache-2.0
// Callbacks of fit(), and learning rates that go by evaluations.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "aclgrad/aclgrad.h"
#include "tests/framework/base/temporary_folder.h"
#include "tests/support/message_of.h"
#include "tests/support/run.h"

namespace aclgrad {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr auto kQuiet = report::ProgressMode::off;

data::Dataset rows(std::int64_t count) {
  return {Tensor::arange(count, -1, 0.3).reshape({count, 1}),
          Tensor::arange(count, 1, -0.2).reshape({count, 1})};
}

// A line through ten points: an epoch has three steps.
struct LineTraining {
  explicit LineTraining(LearningRate rate = schedule::constant(0.1))
      : adam({.learning_rate = std::move(rate)}) {}
  History run(FitOptions options) {
    options.progress = kQuiet;
    return fit(trainer, batches, options);
  }
  Linear model{"l", 1, 1};
  Adam adam;
  Trainer trainer{model, mse_of(model), adam};
  data::Batches batches{rows(10), {.batch_size = 4}};
};

struct MyPoints : TrainingLog {
  std::vector<std::string> all = {};
  void point(const std::string& chart, const std::string& curve, double x, double) override {
    if (chart == "Mine") all.push_back(fmt::format("{} {}", curve, x));
  }
};

TEST(Callbacks, AreCalledInOrderAndSeeTheRun) {
  std::vector<std::string> seen;
  const auto note = [&](const char* event) {
    return [&seen, event](FitRun& run) {
      seen.push_back(fmt::format("{} {}/{} e{} b{} v{}", event, run.done(), run.total(),
                                 run.epoch(), run.batch().features.numel(),
                                 run.evaluations().size()));
      EXPECT_EQ(run.loss() > 0, run.done() > 0);
      run.point("Mine", event, 1);
    };
  };
  MyPoints log;
  LineTraining training;
  training.run({.epochs = 1,
                .callbacks = {{.begin = note("begin"),
                               .before_step = note("before"),
                               .after_step = note("step"),
                               .after_evaluation = note("evaluation"),
                               .after_epoch = note("epoch"),
                               .progress = note("progress"),
                               .finish = note("finish")}},
                .log = &log});
  EXPECT_THAT(seen, ElementsAre("begin 0/3 e0 b0 v0", "before 0/3 e0 b4 v0", "step 1/3 e0 b4 v0",
                                "progress 1/3 e0 b4 v0", "before 1/3 e0 b4 v0", "step 2/3 e0 b4 v0",
                                "progress 2/3 e0 b4 v0", "before 2/3 e0 b2 v0", "step 3/3 e0 b2 v0",
                                "evaluation 3/3 e0 b2 v1", "epoch 3/3 e0 b2 v1",
                                "progress 3/3 e0 b2 v1", "finish 3/3 e0 b0 v1"));
  EXPECT_EQ(log.all.front(), "begin 0");
  EXPECT_EQ(log.all.back(), "finish 3");
}

struct UpdateRatios : TrainingLog {
  std::vector<std::pair<double, double>> of_weight = {};
  void point(const std::string& chart, const std::string& curve, double x, double y) override {
    if (chart == "Update ratios" && curve == "l.weight") of_weight.emplace_back(x, y);
  }
};

TEST(Callbacks, ObservingSaysHowMuchAStepChangesTheWeights) {
  LineTraining training;
  std::vector<double> weights;
  const Callback::Event keep = [&](FitRun&) {
    weights.push_back(training.model.weight().value().item());
  };
  UpdateRatios log;
  training.run({.epochs = 3,
                .evaluate_every = 3,
                .callbacks = {{.begin = keep, .after_step = keep}},
                .log = &log,
                .observe = true});
  ASSERT_EQ(log.of_weight.size(), 3U) << "the first step, and those after two evaluations";
  for (std::size_t i = 0; i < 3; ++i) {
    const double before = weights[3 * i], after = weights[3 * i + 1];
    EXPECT_EQ(log.of_weight[i].first, static_cast<double>(3 * i));
    EXPECT_NEAR(log.of_weight[i].second, std::abs(after - before) / std::abs(before), 1e-6);
  }
}

TEST(Callbacks, StopARunWhichIsEvaluatedAndSavedAllTheSame) {
  const TemporaryFolder folder;
  for (Callback::Event Callback::*event :
       {&Callback::before_step, &Callback::after_step, &Callback::after_epoch}) {
    Callback stopping;
    stopping.*event = [](FitRun& run) {
      if (run.done() >= 4) run.stop();
    };
    FitOptions options{.epochs = 9,
                       .evaluate_every = 100,
                       .callbacks = {stopping},
                       .checkpoint = folder.path() / "run",
                       .resume = false};
    LineTraining training;
    const History history = training.run(options);
    const std::int64_t last = event == &Callback::after_step    ? 4
                              : event == &Callback::after_epoch ? 6
                                                                : 5;
    EXPECT_EQ(history.steps, last);
    EXPECT_TRUE(history.stopped_early);
    ASSERT_EQ(history.evaluations.size(), 1u);
    EXPECT_EQ(history.evaluations[0].step, last);
    // What has stopped stays so.
    LineTraining again;
    options.resume = true;
    EXPECT_EQ(again.run(options).steps, 0);
    EXPECT_EQ(again.trainer.steps(), last);
  }
  LineTraining none;
  EXPECT_EQ(none.run({.callbacks = {{.begin = [](FitRun& run) { run.stop(); }}}}).steps, 0);
}

TEST(Callbacks, ChangeTheLearningRateAlsoOfARunThatIsResumed) {
  const TemporaryFolder folder;
  std::vector<double> rates;
  const auto options = [&](std::int64_t steps) {
    return FitOptions{
        .steps = steps,
        .callbacks = {{.before_step = [&](FitRun& run) { rates.push_back(run.learning_rate()); },
                       .after_epoch =
                           [](FitRun& run) { run.set_learning_rate(run.learning_rate() / 2); }}},
        .checkpoint = folder.path() / "run",
        .checkpoint_every = 1,
        .resume = true};
  };
  LineTraining whole;
  FitOptions all = options(8);
  all.checkpoint.clear();
  all.checkpoint_every.reset();
  all.resume = false;
  whole.run(all);
  EXPECT_THAT(rates, ElementsAre(0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.025, 0.025));
  rates.clear();
  for (const std::int64_t steps : {2, 5, 8}) {
    LineTraining part;
    part.run(options(steps));
    if (steps < 8) continue;
    EXPECT_TRUE(bitwise_equal(part.model.weight().value(), whole.model.weight().value()));
    part.trainer.set_learning_rate(std::nullopt);
    EXPECT_EQ(part.trainer.learning_rate(), 0.1);
  }
  EXPECT_THAT(rates, ElementsAre(0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.025, 0.025));
  // So does a rate that is a number.
  rates.clear();
  LineTraining numbers(0.1);
  numbers.run(all);
  EXPECT_THAT(rates, ElementsAre(0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.025, 0.025));
  for (const std::int64_t steps : {2, 5, 8}) {
    LineTraining part(0.1);
    FitOptions resumed = options(steps);
    resumed.checkpoint = folder.path() / "numbers";
    part.run(resumed);
    if (steps < 8) continue;
    EXPECT_TRUE(bitwise_equal(part.model.weight().value(), numbers.model.weight().value()));
  }
}

TEST(Fit, TellsTheLogAndTheHistoryWhichEvaluationIsTheBest) {
  const TemporaryFolder folder;
  RunReport page(folder.path() / "page.html");
  std::int64_t step = 0;
  LineTraining training;
  const History history = training.run(
      {.steps = 50,
       .evaluate_every = 1,
       .metrics = {{.name = "score", .measure = [&] { return std::abs(double(++step) - 3); }}},
       .monitor = "score",
       .patience = 2,
       .keep_best = true,
       .log = &page});
  EXPECT_THAT(history.to_string(), testing::ContainsRegex("3 .* 0  best\n"));
  EXPECT_THAT(history.to_string(), testing::Not(HasSubstr("1  best")));
  EXPECT_EQ(page.record().marks[0], std::pair(std::string("best"), 3.0));
  EXPECT_THAT(page.record().settings,
              testing::IsSupersetOf(
                  {std::pair(std::string("best"), std::string("step 3: score 0")),
                   std::pair(std::string("stopped early"),
                             std::string("after step 5 of 50, with the weights of the best"))}));
  EXPECT_THAT(page.html(), HasSubstr(">finished early<"));
}

TEST(Callbacks, WhatTheyThrowEndsTheRun) {
  LineTraining training;
  struct Mine {};
  EXPECT_THROW(training.run({.callbacks = {{.after_step = [](FitRun&) { throw Mine(); }}}}), Mine);
  EXPECT_EQ(training.trainer.steps(), 1);
}

// As PyTorch's ReduceLROnPlateau(factor=0.5, patience=1, cooldown=1, min_lr=0.2, threshold=0.1).
TEST(Plateau, FallsWhereScoresAreNoBetter) {
  const Adam adam(
      {.learning_rate = schedule::plateau(
           1, {.factor = 0.5, .patience = 1, .threshold = 0.1, .cooldown = 1, .min_lr = 0.2})});
  std::vector<double> rates;
  for (const double score :
       {10., 9.5, 8., std::nan(""), 7.5, 7.9, 7.9, 7.9, 7.9, 7.9, 7.9, 7.9, 1.}) {
    adam.tell_score(score);
    rates.push_back(adam.learning_rate(0));
  }
  EXPECT_THAT(rates, ElementsAre(1, 1, 1, 1, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.2, 0.2, 0.2));
  adam.set_step(99);
  EXPECT_EQ(adam.state()[1].value().item(), 0.2F);
}

TEST(Plateau, GoesByWhatFitMonitorsAndIsPartOfACheckpoint) {
  const TemporaryFolder folder;
  const std::vector<double> scores = {1, 3, 2, 2, 2, 4, 1, 1, 1, 1};
  const auto run = [&](LineTraining& training, std::int64_t steps, bool saved) {
    training.run(
        {.steps = steps,
         .evaluate_every = 1,
         .metrics = {{.name = "score",
                      .measure =
                          [&] {
                            return scores[static_cast<std::size_t>(training.trainer.steps()) - 1];
                          },
                      .larger_is_better = true}},
         .monitor = "score",
         .checkpoint = saved ? folder.path() / "run" : std::filesystem::path(),
         .resume = saved});
    return training.trainer.learning_rate();
  };
  const auto rate = [] { return schedule::plateau(0.1, {.factor = 0.5, .patience = 1}); };
  LineTraining whole(rate());
  const std::vector<double> rates = {0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05, 0.025, 0.025, 0.0125};
  EXPECT_EQ(run(whole, 10, false), rates[9]);
  for (const std::int64_t steps : {3, 4, 7, 10}) {
    LineTraining part(rate());
    EXPECT_EQ(run(part, steps, true), rates[static_cast<std::size_t>(steps) - 1]) << steps;
    if (steps < 10) continue;
    EXPECT_TRUE(bitwise_equal(part.model.weight().value(), whole.model.weight().value()));
  }
  EXPECT_THAT(message_of<ValueError>([&] { LineTraining(rate()).run({}); }),
              HasSubstr("give `validation`"));
}

}  // namespace
}  // namespace aclgrad
