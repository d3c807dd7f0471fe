// SPDX-License-Identifier: Apache-2.0
#include "live/playback.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/live/small_network.h"

namespace aclgrad::live {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::size_t kAmple = std::size_t{1} << 20;

// The network is kept at hand beside the playback that owns it.
struct Played {
  explicit Played(std::size_t history_bytes = kAmple)
      : network(std::make_shared<SmallNetwork>()), playback(network, history_bytes) {
    playback.refresh();
  }

  Value value(const std::string& name) const {
    const Graph& graph = playback.look().step().graph;
    for (std::size_t id = 0; id < graph.value_count(); ++id) {
      const Value value = graph.value(static_cast<ValueId>(id));
      if (value.name() == name) return value;
    }
    throw ValueError("no value " + name);
  }
  const Tensor& tensor(const Value& value) const { return playback.look().values().at(value.id()); }
  const Tensor& gradient(const Value& value) const {
    return tensor(playback.look().step().gradients[value]);
  }

  std::shared_ptr<SmallNetwork> network;
  Playback playback;
};

TEST(Playback, ALookChangesNothingAndShowsWhatTheStepThenDoes) {
  Played run;
  const std::vector<Tensor> before = run.network->weights();
  for (int step = 0; step < 3; ++step) {
    run.playback.refresh();
    const Graph& graph = run.playback.look().step().graph;
    std::vector<Tensor> shown;
    for (const Variable& parameter : run.network->trainer().model().parameters()) {
      shown.push_back(run.playback.look().values().at(graph.parameter(parameter).id()));
    }
    const double loss = run.playback.look().loss();
    EXPECT_EQ(run.playback.train(), loss);
    EXPECT_TRUE(same_bits(run.network->weights(), shown));
  }
  EXPECT_FALSE(same_bits(run.network->weights(), before));
  EXPECT_TRUE(same_bits(run.network->weights(), weights_after(3)));
}

TEST(Playback, EveryValueBetweenParametersAndLossHasItsGradient) {
  Played run;
  for (const char* name : {"hidden.weight", "hidden", "selu(hidden)", "output"}) {
    const Value value = run.value(name);
    EXPECT_EQ(run.gradient(value).shape(), value.shape()) << name;
  }
  EXPECT_FALSE(run.playback.look().step().gradients.contains(run.value("features")));
}

TEST(Playback, GoesBackToEveryStepWithTheSameBits) {
  Played run;
  for (int step = 0; step < 20; ++step) run.playback.train();
  for (const std::int64_t step : {19, 12, 11, 1, 0}) {
    run.playback.go_to(step);
    EXPECT_EQ(run.playback.step(), step);
    EXPECT_TRUE(same_bits(run.network->weights(), weights_after(step))) << step;
  }
  run.playback.train();
  run.playback.train();
  EXPECT_TRUE(same_bits(run.network->weights(), weights_after(2)));
}

TEST(Playback, StatesThatDoNotFitAreComputedAgain) {
  Played run(/*history_bytes=*/1);
  for (int step = 0; step < 40; ++step) run.playback.train();
  EXPECT_EQ(run.playback.first_step(), 0);
  run.playback.go_to(17);
  EXPECT_TRUE(same_bits(run.network->weights(), weights_after(17)));
}

TEST(Playback, RefusesStepsThatWereNotDone) {
  Played run;
  run.playback.train();
  EXPECT_THAT([&] { run.playback.go_to(2); }, ThrowsMessage<ValueError>(HasSubstr("steps 0 to 1")));
  EXPECT_THAT([&] { run.playback.go_to(-1); }, ThrowsMessage<ValueError>(HasSubstr("step -1")));
}

TEST(Playback, AnEditedWeightIsTrainedOnAndFoundOnTheWayBack) {
  Played run;
  run.playback.train();
  run.playback.set(run.value("hidden.weight").id(), 2, 0.75);
  run.playback.refresh();
  SmallNetwork other;
  other.trainer().step(batch_of(0));
  Variable weight = other.trainer().model().parameters().front();
  Tensor contents = weight.value();
  contents.set(2, 0.75);
  weight.assign(contents);
  EXPECT_EQ(run.playback.look().loss(), other.trainer().step(batch_of(1)));
  run.playback.train();
  EXPECT_TRUE(same_bits(run.network->weights(), other.weights()));
  for (int step = 0; step < 5; ++step) run.playback.train();
  run.playback.go_to(2);
  EXPECT_TRUE(same_bits(run.network->weights(), other.weights()));
}

TEST(Playback, AnEditedResultChangesWhatFollowsUntilItIsReleased) {
  Played run;
  const Value hidden = run.value("hidden"), output = run.value("output");
  const Tensor before = run.tensor(output);
  const double loss = run.playback.look().loss();
  run.playback.set(hidden.id(), 5, 3);
  run.playback.refresh();
  EXPECT_EQ(run.tensor(hidden).get(5), 3);
  // Element 5 belongs to the second example: only its answer is another one.
  for (std::int64_t i = 0; i < 6; ++i) {
    EXPECT_EQ(run.tensor(output).get(i) != before.get(i), i == 1) << i;
  }
  EXPECT_NE(run.playback.look().loss(), loss);
  run.playback.release(hidden.id());
  run.playback.refresh();
  EXPECT_TRUE(bitwise_equal(run.tensor(output), before));
  EXPECT_EQ(run.playback.look().loss(), loss);
}

TEST(Playback, InputsAndConstantsCanBeEdited) {
  Played run;
  const double loss = run.playback.look().loss();
  run.playback.set(run.value("features").id(), 0, 10);
  run.playback.refresh();
  EXPECT_EQ(run.tensor(run.value("features")).get(0), 10);
  EXPECT_NE(run.playback.look().loss(), loss);
  run.playback.release(std::nullopt);
  Value constant;
  const Graph& graph = run.playback.look().step().graph;
  for (std::size_t id = 0; id < graph.value_count(); ++id) {
    const Value value = graph.value(static_cast<ValueId>(id));
    if (value.node().op->kind() == OpKind::constant && value.shape().rank() == 0 && !constant) {
      constant = value;
    }
  }
  run.playback.set(constant.id(), 0, 0);
  run.playback.refresh();
  double squares = 0;
  const data::Dataset batch = batch_of(0);
  for (const float wanted : batch.labels.data<float>()) squares += wanted * wanted;
  EXPECT_NEAR(run.playback.look().loss(), squares / 6, 1e-5);
  run.playback.release(constant.id());
  run.playback.refresh();
  EXPECT_EQ(run.playback.look().loss(), loss);
}

TEST(Playback, RefusesEditsThatCannotBe) {
  Played run;
  const Graph& graph = run.playback.look().step().graph;
  EXPECT_THROW(run.playback.set(static_cast<ValueId>(graph.value_count()), 0, 1), ValueError);
  EXPECT_THROW(run.playback.set(-1, 0, 1), ValueError);
  EXPECT_THROW(run.playback.set(run.value("hidden").id(), 24, 1), ShapeError);
  EXPECT_THROW(run.playback.set(run.value("hidden").id(), 0, 1e300), ValueError);
  const Variable weight = run.network->trainer().model().parameters().front();
  EXPECT_THAT([&] { run.playback.set(graph.parameter(weight).id(), 0, 1); },
              ThrowsMessage<ValueError>(HasSubstr("edit that")));
}

TEST(Playback, TheLearningRateHoldsAndIsFoundOnTheWayBack) {
  Played run;
  run.playback.train();
  run.playback.set_rate(0.5);
  run.playback.train();
  const std::vector<Tensor> fast = run.network->weights();
  EXPECT_FALSE(same_bits(fast, weights_after(2)));
  run.playback.go_to(1);
  EXPECT_EQ(run.network->trainer().learning_rate(), 0.5);
  run.playback.train();
  EXPECT_TRUE(same_bits(run.network->weights(), fast));
  run.playback.go_to(0);
  EXPECT_EQ(run.network->trainer().learning_rate(), 0.05);
}

TEST(Playback, LossesAreThinnedAndForgottenOnTheWayBack) {
  Played run;
  for (int step = 0; step < 1300; ++step) run.playback.train();
  const auto& losses = run.playback.losses();
  EXPECT_LE(losses.size(), 600U);
  EXPECT_EQ(losses.front().first, 0);
  for (std::size_t i = 1; i + 1 < losses.size(); ++i) {  // early steps are no rarer than late ones
    ASSERT_EQ(losses[i].first - losses[i - 1].first, losses[1].first - losses[0].first) << i;
  }
  EXPECT_EQ(losses.back().first, 1299);
  run.playback.go_to(10);
  EXPECT_TRUE(std::ranges::all_of(losses, [](const auto& each) { return each.first < 10; }));
}

// ---- checks by differences
// ------------------------------------------------------------------------

TEST(Check, AgreesForParametersInputsAndResults) {
  Played run;
  run.playback.train();
  run.playback.refresh();
  for (const char* name :
       {"features", "hidden.weight", "hidden.bias", "hidden", "selu(hidden)", "output.weight"}) {
    const Value value = run.value(name);
    const Check check = run.playback.check(value.id(), 1);
    EXPECT_TRUE(check.agrees) << name << ": " << check.sentence;
    EXPECT_NEAR(check.ours, check.slope, 1e-8 + 1e-8 * std::abs(check.slope)) << name;
    ASSERT_EQ(check.rows.size(), 6U);
    EXPECT_EQ(check.rows.back().quotients.size(), 6U);
    EXPECT_NEAR(check.rows.back().quotients.back(), check.slope, 1e-6);
    if (run.playback.look().step().gradients.contains(value)) {
      EXPECT_NEAR(run.gradient(value).get(1), check.ours, 1e-5);
    }
  }
}

TEST(Check, GoesByWhatIsEdited) {
  Played run;
  const Value weight = run.value("output.weight"), hidden = run.value("selu(hidden)");
  const double plain = run.playback.check(weight.id(), 2).ours;
  run.playback.set(hidden.id(), 2, 4);
  run.playback.set(run.value("features").id(), 0, -1);
  const Check check = run.playback.check(weight.id(), 2);
  EXPECT_TRUE(check.agrees) << check.sentence;
  EXPECT_NE(check.ours, plain);
  EXPECT_TRUE(run.playback.check(hidden.id(), 2).agrees);
  EXPECT_THAT([&] { run.playback.check(run.value("hidden.weight").id(), 2); },
              ThrowsMessage<ValueError>(HasSubstr("lies before `selu(hidden)`")));
  run.playback.release(hidden.id());
  EXPECT_TRUE(run.playback.check(run.value("hidden.weight").id(), 2).agrees);
  EXPECT_TRUE(run.playback.check(run.value("features").id(), 0).agrees);
}

TEST(Check, RefusesWhatHasNoGradient) {
  Played run;
  EXPECT_THROW(run.playback.check(run.value("hidden").id(), 24), ShapeError);
  const Variable weight = run.network->trainer().model().parameters().front();
  const Value updated = run.playback.look().step().graph.parameter(weight);
  EXPECT_THAT([&] { run.playback.check(updated.id(), 0); },
              ThrowsMessage<ValueError>(HasSubstr("does not depend")));
}

}  // namespace
}  // namespace aclgrad::live
