// SPDX-License-Identifier: Apache-2.0
// A moving average of the weights: what it is, and what a Trainer and fit() do with it.
#include "aclgrad/optim/weight_average.h"

#include <gmock/gmock.h>

#include <cmath>

#include "aclgrad/aclgrad.h"
#include "tests/framework/base/temporary_folder.h"
#include "tests/support/message_of.h"
#include "tests/support/run.h"

namespace aclgrad {
namespace {

using testing::HasSubstr;

data::Dataset slope() {
  return {Tensor::arange(8, -1, 0.3).reshape({8, 1}), Tensor::arange(8, 1, -0.7).reshape({8, 1})};
}

struct Averaged {
  explicit Averaged(double decay = 0.5, const std::string& name = "l")
      : model(name, 1, 1), average(model, {.decay = decay}) {}
  History run(FitOptions options) {
    options.progress = report::ProgressMode::off;
    return fit(trainer, data::Batches(slope(), {.batch_size = 2}), options);
  }
  double weight() const { return model.weight().value().item(); }
  Linear model;
  WeightAverage average;
  Adam adam{{.learning_rate = 0.05}};
  Trainer trainer{model, mse_of(model), adam, {.average = &average}};
};

TEST(WeightAverage, IsTheExponentialAverageOfWhatStepsLeave) {
  Averaged it;
  double expected = 0;
  for (int step = 0; step < 6; ++step) {
    it.trainer.step(slope());
    expected = step == 0 ? it.weight() : 0.5 * expected + 0.5 * it.weight();
    EXPECT_NEAR(it.average.values()[0].second.item(), expected, 1e-6);
  }
  EXPECT_EQ(it.average.updates(), 6);
  const double own = it.weight();
  EXPECT_NE(own, expected);
  it.average.with_averages([&] {
    it.average.with_averages([&] { EXPECT_NEAR(it.weight(), expected, 1e-6); });
    EXPECT_NEAR(it.weight(), expected, 1e-6);
  });
  EXPECT_EQ(it.weight(), own);
  EXPECT_THROW(it.average.with_averages([] { throw ValueError("x"); }), ValueError);
  EXPECT_EQ(it.weight(), own);
  it.average.reset();
  it.average.with_averages([&] { EXPECT_EQ(it.weight(), own); });
}

TEST(WeightAverage, ChangesNothingInTheTraining) {
  Averaged with, without;
  Trainer plain(without.model, mse_of(without.model), without.adam);
  for (int step = 0; step < 5; ++step) {
    EXPECT_EQ(with.trainer.step(slope()), plain.step(slope()));
  }
  EXPECT_EQ(with.weight(), without.weight());
}

TEST(WeightAverage, IsEvaluatedKeptAndSavedByFit) {
  const TemporaryFolder folder;
  Averaged it(0.9);
  double seen = 0;
  const History history =
      it.run({.epochs = 3,
              .validation = slope(),
              .metrics = {{.name = "weight", .measure = [&] { return it.weight(); }}},
              .callbacks = {{.after_evaluation = [&](FitRun&) { seen = it.weight(); }}},
              .keep_best = true});
  EXPECT_NE(history.evaluations.back().metrics[0], seen) << "callbacks see the weights themselves";
  // The averages of the best evaluation are the model's weights now, and saved as such.
  EXPECT_EQ(it.weight(), history.evaluations[history.best].metrics[0]);
  EXPECT_EQ(it.trainer.evaluate(slope()), history.evaluations[history.best].validation_loss);
  it.average.save(folder.path() / "average.safetensors");
  Averaged other;
  other.model.load(folder.path() / "average.safetensors");
  EXPECT_EQ(other.weight(), it.weight());
}

TEST(WeightAverage, GoesOnFromACheckpoint) {
  const TemporaryFolder folder;
  const auto options = [&](std::int64_t steps, bool saved) {
    return FitOptions{.steps = steps,
                      .validation = slope(),
                      .checkpoint = saved ? folder.path() / "run" : std::filesystem::path(),
                      .resume = saved};
  };
  Averaged whole(0.8), first(0.8), second(0.8);
  whole.run(options(9, false));
  first.run(options(5, true));
  second.run(options(9, true));
  const NamedTensors a = whole.average.values(), b = second.average.values();
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(bitwise_equal(a[i].second, b[i].second));
  second.average.assign_to_model();
  EXPECT_TRUE(bitwise_equal(second.model.weight().value(), a[0].second));
}

TEST(WeightAverage, IsFloat32Of16Bits) {
  const Linear model("l", 2, 2);
  model.to(DType::bfloat16);
  WeightAverage average(model);
  EXPECT_EQ(average.state()[0].dtype(), DType::float32);
  average.update();
  average.update();
  EXPECT_TRUE(bitwise_equal(average.values()[0].second, model.weight().value()));
}

TEST(WeightAverage, RefusesWhatItCannotAverage) {
  const Linear model("l", 1, 1);
  for (const double decay : {-0.1, 1.0, std::nan("")}) {
    EXPECT_THAT(message_of<ValueError>([&] { WeightAverage(model, {.decay = decay}); }),
                HasSubstr("decay"));
  }
  EXPECT_THAT(message_of<ValueError>([&] { WeightAverage{Module()}; }), HasSubstr("no parameters"));
}

}  // namespace
}  // namespace aclgrad
