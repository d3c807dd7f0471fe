// SPDX-License-Identifier: Apache-2.0
// fit() where numbers are not finite, where it is called again, and where files cannot be written.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "aclgrad/aclgrad.h"
#include "tests/framework/base/temporary_folder.h"
#include "tests/support/message_of.h"
#include "tests/support/run.h"

namespace aclgrad {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr auto kOff = report::ProgressMode::off;

data::Dataset one(double feature, double label) {
  return {Tensor::full({1, 1}, feature), Tensor::full({1, 1}, label)};
}

struct Weight : Module {
  Variable w{parameter("w", Tensor::zeros({1, 1}))};
  Value operator()(const Value& x) const { return matmul(x, x.graph().parameter(w)); }
};

// The loss -sqrt(1 + w x): for the example x = 1 finite, for the validation example x = -1 NaN
// where w > 1. The rate of step 1 moves w from 0 to 1.5.
struct Roots {
  explicit Roots(Schedule rates) : sgd({.learning_rate = std::move(rates)}) {}
  History run(FitOptions options) {
    options.evaluate_every = 1;
    if (!options.validation) options.validation = one(-1, 1);
    options.progress = kOff;
    return fit(trainer, batches, options);
  }
  Weight model;
  Sgd sgd;
  Trainer trainer{model,
                  [this](const Value& x, const Value& t) {
                    return neg(mean(mul(t, sqrt(add(model(x), 1.0)))));
                  },
                  sgd};
  data::Batches batches{one(1, 1), {.batch_size = 1}};
};

double up(std::int64_t step) { return step == 1 ? 3. : 0.; }

TEST(Fit, ANanEndsNoWaitForABetterLoss) {
  const History history = Roots(up).run({.steps = 50, .patience = 2});
  EXPECT_EQ(history.evaluations.size(), 3u);
  EXPECT_TRUE(history.stopped_early);
  EXPECT_THAT(history.to_string(), HasSubstr("\nstopped early, after step "));
  EXPECT_EQ(history.best, 0u);
  // From the first evaluation on, too.
  const History none = Roots([](std::int64_t step) {
                         return step == 0 ? 3. : 0.;
                       }).run({.steps = 50, .patience = 4});
  EXPECT_EQ(none.evaluations.size(), 4u);
  EXPECT_EQ(none.best, 0u);
  EXPECT_THAT(none.to_string(), AllOf(HasSubstr("validation"), HasSubstr("nan")));
}

TEST(Fit, GoesByAMetricWhereOneIsNamed) {
  const std::vector<double> values = {kNan, 0.5, kNan, 0.7, INFINITY, 0.6, 0.4, 0.65, 0.9};
  const auto best = [&](bool larger_is_better, std::int64_t patience) {
    Roots roots([](std::int64_t) { return 0.; });
    std::size_t next = 0;
    const History history = roots.run({.steps = 9,
                                       .metrics = {{.name = "rate",
                                                    .measure = [&] { return values[next++]; },
                                                    .larger_is_better = larger_is_better}},
                                       .monitor = "rate",
                                       .patience = patience});
    return std::pair(history.best, history.evaluations.size());
  };
  EXPECT_EQ(best(true, 0), std::pair(std::size_t{8}, std::size_t{9}));
  EXPECT_EQ(best(true, 4), std::pair(std::size_t{3}, std::size_t{8}));
  EXPECT_EQ(best(false, 0), std::pair(std::size_t{6}, std::size_t{9}));
  EXPECT_EQ(best(false, 3), std::pair(std::size_t{1}, std::size_t{5}));
}

// A line through points, whose batches write down which examples they had.
struct Line {
  explicit Line(LearningRate rate = 0.01) : sgd({.learning_rate = std::move(rate)}) {}
  data::Batches of(std::int64_t examples, std::uint64_t seed = 0) {
    return {examples,
            [this](std::span<const std::int64_t> rows) {
              for (const std::int64_t row : rows) seen.push_back(row);
              const auto n = static_cast<std::int64_t>(rows.size());
              return data::Dataset{Tensor::full({n, 1}, 1), Tensor::full({n, 1}, 2)};
            },
            {.batch_size = 8, .seed = seed}};
  }
  Linear model{"l", 1, 1};
  Sgd sgd;
  Trainer trainer{model, mse_of(model), sgd};
  std::vector<std::int64_t> seen;
};

TEST(Fit, TrainsAsLongAsItIsAskedForWhateverTheTrainerDidBefore) {
  Line line;
  const data::Batches a = line.of(80), b = line.of(160);
  const FitOptions once{.epochs = 1, .progress = kOff};
  EXPECT_EQ(fit(line.trainer, a, once).steps, 10);
  EXPECT_EQ(fit(line.trainer, b, once).steps, 20);
  for (int i = 0; i < 5; ++i) line.trainer.step(one(1, 2));
  const History third = fit(line.trainer, a, {.epochs = 1, .evaluate_every = 4, .progress = kOff});
  EXPECT_EQ(third.steps, 10);
  std::vector<std::int64_t> steps;
  for (const Evaluation& each : third.evaluations) steps.push_back(each.step);
  EXPECT_THAT(steps, ElementsAre(39, 43, 45));
  const History none = fit(line.trainer, a, {.steps = 0, .progress = kOff});
  EXPECT_EQ(none.steps, 0);
  EXPECT_TRUE(none.evaluations.empty());
  EXPECT_EQ(none.best, 0u);
}

TEST(Fit, GoesOnInTheSameBatchesAndBeginsOthers) {
  Line whole, parts;
  const data::Batches all = whole.of(20), some = parts.of(20), others = parts.of(20, 1);
  fit(whole.trainer, all, {.epochs = 6, .progress = kOff});
  // 2 epochs, then 4 of 3 batches; then in the middle of an epoch.
  fit(parts.trainer, some, {.epochs = 2, .progress = kOff});
  fit(parts.trainer, some, {.steps = 5, .progress = kOff});
  fit(parts.trainer, parts.of(20), {.steps = 7, .progress = kOff});
  EXPECT_EQ(parts.seen, whole.seen);
  parts.seen.clear();
  fit(parts.trainer, others, {.steps = 1, .progress = kOff});
  fit(parts.trainer, some, {.steps = 1, .progress = kOff});
  std::vector<std::int64_t> first;
  for (const data::Batches* each : {&others, &some}) {
    const std::vector<std::int64_t> order = random_permutation(20, each->options().seed, 0);
    first.insert(first.end(), order.begin(), order.begin() + 8);
  }
  EXPECT_EQ(parts.seen, first);
}

TEST(Fit, CountsTheStepsOfARunAndItsContinuationsInAll) {
  const TemporaryFolder folder;
  const auto train = [&](std::int64_t steps, bool resumes) {
    auto line = std::make_unique<Line>();
    for (int i = 0; i < 5; ++i) line->trainer.step(one(1, 2));
    const History history = fit(line->trainer, line->of(20),
                                {.steps = steps,
                                 .evaluate_every = 2,
                                 .checkpoint = resumes ? folder.path() / "run" : "",
                                 .resume = resumes,
                                 .progress = kOff});
    return std::pair(history.to_string(), line->trainer.steps());
  };
  EXPECT_EQ(train(4, true).second, 9);
  EXPECT_EQ(train(6, true).second, 11);
  EXPECT_EQ(train(8, true), train(8, false));
  EXPECT_EQ(train(8, true).second, 13) << "nothing is left to do";
}

TEST(Fit, TakesTheLargestNumberOfEpochs) {
  Line line;
  std::int64_t left = 5;
  const Metric stop{"stop", [&] {
                      if (--left == 0) throw std::runtime_error("enough");
                      return 0.0;
                    }};
  EXPECT_THROW(fit(line.trainer, line.of(20),
                   {.epochs = std::numeric_limits<std::int64_t>::max(),
                    .metrics = {stop},
                    .progress = kOff}),
               std::runtime_error);
  EXPECT_EQ(line.trainer.steps(), 15);
}

double explodes_at_19(std::int64_t step) { return step == 19 ? 1e38 : 0.05; }

TEST(Fit, BringsTheBestWeightsBackWhenItDiverges) {
  const data::Dataset validation{Tensor::full({8, 1}, 1), Tensor::full({8, 1}, 2)};
  Line line(explodes_at_19);
  const std::string message = message_of<Diverged>([&] {
    return fit(line.trainer, line.of(8),
               {.epochs = 40, .validation = validation, .keep_best = true, .progress = kOff});
  });
  EXPECT_THAT(message,
              HasSubstr("the loss became inf after step 20, with a learning rate of 1e+38"));
  Line whole;
  Line part(explodes_at_19);
  const History history =
      fit(part.trainer, part.of(8), {.steps = 19, .validation = validation, .progress = kOff});
  EXPECT_TRUE(bitwise_equal(line.model.weight().value(), part.model.weight().value()));
  EXPECT_EQ(line.trainer.evaluate(validation), history.evaluations.back().validation_loss);
}

TEST(Fit, SavesNoWeightsWhoseLossIsNotFinite) {
  const TemporaryFolder folder;
  const FitOptions options{
      .epochs = 40, .checkpoint = folder.path() / "run", .resume = true, .progress = kOff};
  for (int run = 0; run < 2; ++run) {
    Line line(explodes_at_19);
    EXPECT_THROW(fit(line.trainer, line.of(8), options), Diverged);
    EXPECT_EQ(load_checkpoint(options.checkpoint)->step, 19);
  }
  Line calmer([](std::int64_t) { return 0.05; });
  EXPECT_EQ(fit(calmer.trainer, calmer.of(8), options).steps, 21);
}

// The largest of the batch is known before its parts are trained on, but not from pieces of what is
// evaluated.
TEST(Fit, SavesWhereTheLossCannotBeEvaluatedInPieces) {
  const TemporaryFolder folder;
  data::Dataset examples{Tensor::full({6, 1}, 1), Tensor::zeros({6, 1})};
  for (std::int64_t i = 0; i < 6; ++i) examples.labels.set(i, static_cast<double>(i % 3 + 1));
  const auto run = [&](const TrainerOptions& parts, const char* name) {
    const Weight model;
    Sgd sgd({.learning_rate = 0.1});
    const auto loss = [&](const Value& x, const Value& t) {
      const Value difference = model(x) - t;
      return reduce_sum(t * difference * difference) / amax(t);
    };
    Trainer trainer(model, loss, sgd, parts);
    EXPECT_THROW(trainer.evaluate(examples, 2), ValueError);
    fit(trainer, {examples, {.batch_size = 6, .shuffle = false}},
        {.steps = 3, .checkpoint = folder.path() / name, .progress = kOff});
    return model.w.value().get(0);
  };
  const double whole = run({}, "whole");
  EXPECT_GT(whole, 0);
  EXPECT_NEAR(run({.micro_batches = 3}, "parts"), whole, 1e-6);
  EXPECT_EQ(load_checkpoint(folder.path() / "parts")->step, 3);
}

TEST(Fit, ALastStepThatLeavesNoNumbersHasDiverged) {
  const TemporaryFolder folder;
  const auto message = [&](double rate, const std::string& checkpoint) {
    Line line([=](std::int64_t) { return rate; });
    return message_of<Diverged>([&] {
      return fit(line.trainer, line.of(8),
                 {.epochs = 1,
                  .checkpoint = checkpoint.empty() ? "" : folder.path() / checkpoint,
                  .progress = kOff});
    });
  };
  EXPECT_THAT(message(3e38, ""), HasSubstr("is not finite after step 1"));
  // Finite weights with a loss that is not, where a run is to go on from them.
  EXPECT_THAT(message(1e37, "run"), HasSubstr("the loss became inf after step 1"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "run"));
}

TEST(Fit, FindsOutBeforeTheFirstStepThatAFileCannotBeWritten) {
  const TemporaryFolder folder;
  const std::filesystem::path missing = folder.path() / "none";
  const auto steps_until = [&](FitOptions options, const std::string& why) {
    Line line;
    options.progress = kOff;
    EXPECT_THAT(message_of<IoError>([&] { return fit(line.trainer, line.of(80), options); }),
                HasSubstr(why));
    return line.trainer.steps();
  };
  EXPECT_EQ(steps_until({.checkpoint = missing / "run"}, "No such file or directory"), 0);
  EXPECT_EQ(steps_until({.checkpoint = folder.path()}, "it is a folder"), 0);
  std::filesystem::create_directory(folder.path() / "run.previous");
  EXPECT_EQ(steps_until({.checkpoint = folder.path() / "run"}, "run.previous: "), 0);
  std::filesystem::remove(folder.path() / "run.previous");
  EXPECT_EQ(steps_until({.checkpoint = folder.path() / std::string(300, 'x')}, "name too long"), 0);
  EXPECT_EQ(steps_until({.checkpoint = "/proc/run"}, "/proc/run: cannot"), 0);
  RunReport page(missing / "page.html");
  EXPECT_EQ(steps_until({.log = &page}, "No such file or directory"), 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Fit, FilesStayWhereTheyWereWhenTheProgramChangesItsFolder) {
  const TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::create_directory(folder.path() / "elsewhere");
  std::filesystem::current_path(folder.path());
  {
    Line line;
    RunReport page("page.html", {.write_every_s = 0});
    const Metric moves{"moves", [&] {
                         std::filesystem::current_path(folder.path() / "elsewhere");
                         return 0.0;
                       }};
    fit(line.trainer, line.of(20),
        {.epochs = 2, .metrics = {moves}, .checkpoint = "run", .log = &page, .progress = kOff});
  }
  std::filesystem::current_path(before);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "elsewhere"));
  EXPECT_EQ(load_checkpoint(folder.path() / "run")->step, 6);
  EXPECT_EQ(read_run(folder.path() / "page.html").state, RunRecord::State::finished);
}

TEST(Fit, RefusesOptionsThatMeanNothing) {
  Line line;
  const auto message = [&](FitOptions options) {
    options.progress = kOff;
    return message_of<ValueError>([&] { return fit(line.trainer, line.of(20), options); });
  };
  const auto zero = [] { return 0.0; };
  EXPECT_EQ(message({.epochs = -1}), "`epochs` is at least 0, not -1");
  EXPECT_EQ(message({.steps = -2}), "`steps` is at least 0, not -2");
  EXPECT_EQ(message({.patience = -3}), "`patience` is at least 0, not -3");
  EXPECT_EQ(message({.evaluate_every = -3}), "`evaluate_every` is at least 0, not -3");
  EXPECT_THAT(message({.validation = one(1, 1), .target_loss = kNan}), HasSubstr("not nan"));
  EXPECT_THAT(message({.metrics = {{"a", zero}, {"a", zero}}}),
              HasSubstr("two metrics are called `a`"));
  EXPECT_THAT(message({.metrics = {{"a", {}}}}), HasSubstr("no function"));
  EXPECT_THAT(message({.metrics = {{"a", zero}}, .monitor = "b"}),
              HasSubstr("no metric is called so"));
  EXPECT_THAT(message({.settings = {{"a", "1"}, {"a", "2"}}}),
              HasSubstr("two settings are called `a`"));
  EXPECT_THAT(message({.validation = data::Dataset{Tensor::zeros({0, 1}), Tensor::zeros({0, 1})}}),
              HasSubstr("`validation` has no examples"));
  EXPECT_EQ(line.trainer.steps(), 0);
}

TEST(Fit, RefusesARecordThatIsNotWhole) {
  const TemporaryFolder folder;
  const FitOptions options{.steps = 4,
                           .evaluate_every = 2,
                           .metrics = {{"nan", [] { return kNan; }}},
                           .checkpoint = folder.path() / "run",
                           .resume = true,
                           .progress = kOff};
  Line first;
  fit(first.trainer, first.of(20), options);
  Checkpoint checkpoint = *load_checkpoint(options.checkpoint);
  EXPECT_THAT(checkpoint.notes["progress"], testing::StartsWith("{\"batch\":1,"));
  for (const char* damage : {"", "{}", "{\"begin\":1", "4 1 1 0x0p+0 0 0 0", "[]"}) {
    checkpoint.notes["progress"] = damage;
    save_checkpoint(options.checkpoint, checkpoint);
    Line second;
    EXPECT_THROW(fit(second.trainer, second.of(20), options), ValueError) << damage;
  }
}

}  // namespace
}  // namespace aclgrad
