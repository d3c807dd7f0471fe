// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "tests/live/played.h"

namespace aclgrad::live {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Playback, APreviewChangesNothingAndShowsWhatTheStepThenDoes) {
  Played run;
  const std::vector<Tensor> before = run.network->weights();
  for (int step = 0; step < 3; ++step) {
    run.playback.refresh();
    const Graph& graph = run.playback.preview().step().graph;
    std::vector<Tensor> shown;
    for (const Variable& parameter : run.network->trainer().model().parameters()) {
      shown.push_back(run.playback.preview().values().at(graph.parameter(parameter).id()));
    }
    const double loss = run.playback.preview().loss();
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
  EXPECT_FALSE(run.playback.preview().step().gradients.contains(run.value("features")));
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
  EXPECT_EQ(run.playback.preview().loss(), other.trainer().step(batch_of(1)));
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
  const double loss = run.playback.preview().loss();
  run.playback.set(hidden.id(), 5, 3);
  run.playback.refresh();
  EXPECT_EQ(run.tensor(hidden).get(5), 3);
  // Element 5 belongs to the second example: only its answer is another one.
  for (std::int64_t i = 0; i < 6; ++i) {
    EXPECT_EQ(run.tensor(output).get(i) != before.get(i), i == 1) << i;
  }
  EXPECT_NE(run.playback.preview().loss(), loss);
  run.playback.release(hidden.id());
  run.playback.refresh();
  EXPECT_TRUE(bitwise_equal(run.tensor(output), before));
  EXPECT_EQ(run.playback.preview().loss(), loss);
}

TEST(Playback, InputsAndConstantsCanBeEdited) {
  Played run;
  const double loss = run.playback.preview().loss();
  run.playback.set(run.value("features").id(), 0, 10);
  run.playback.refresh();
  EXPECT_EQ(run.tensor(run.value("features")).get(0), 10);
  EXPECT_NE(run.playback.preview().loss(), loss);
  run.playback.release(std::nullopt);
  Value constant;
  const Graph& graph = run.playback.preview().step().graph;
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
  EXPECT_NEAR(run.playback.preview().loss(), squares / 6, 1e-5);
  run.playback.release(constant.id());
  run.playback.refresh();
  EXPECT_EQ(run.playback.preview().loss(), loss);
}

TEST(Playback, RefusesEditsThatCannotBe) {
  Played run;
  const Graph& graph = run.playback.preview().step().graph;
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
  auto losses = run.playback.losses();
  EXPECT_LE(losses.size(), 600U);
  EXPECT_EQ(losses.front().first, 0);
  for (std::size_t i = 1; i + 1 < losses.size(); ++i) {  // early steps are no rarer than late ones
    ASSERT_EQ(losses[i].first - losses[i - 1].first, losses[1].first - losses[0].first) << i;
  }
  EXPECT_EQ(losses.back().first, 1299);
  run.playback.go_to(10);
  losses = run.playback.losses();
  EXPECT_EQ(losses.size(), 10U);
  EXPECT_TRUE(std::ranges::all_of(losses, [](const auto& each) { return each.first < 10; }));
}

// However long a run was: the curve of a step is that of a run that went no further.
TEST(Playback, TheCurveOfAStepIsTheSameWhereverOneComesFrom) {
  const auto loss_of = [](std::int64_t step) { return 1. / static_cast<double>(step + 1); };
  for (const std::int64_t begin : {0, 87'000, 1'000'001}) {
    Losses losses;
    for (std::int64_t step = begin; step < begin + 50000; ++step) losses.add(step, loss_of(step));
    EXPECT_LE(losses.shown().size(), 600U);
    for (const std::int64_t done : {40000, 1200, 1199, 600, 599, 37, 1, 0}) {
      const std::int64_t to = begin + done;
      losses.forget_from(to);
      Losses fresh;
      for (std::int64_t step = begin; step < to; ++step) fresh.add(step, loss_of(step));
      auto wanted = fresh.shown(), found = losses.shown();
      // The step before is known again when it is computed again.
      const auto is_latest = [&](const Losses::Point& point) { return point.first == to - 1; };
      std::erase_if(wanted, is_latest);
      std::erase_if(found, is_latest);
      EXPECT_EQ(found, wanted) << to;
    }
  }
}

TEST(Playback, ARunThatWasResumedHasACurveFromItsFirstStepOn) {
  Losses losses;
  for (std::int64_t done = 1; done <= 2000; ++done) {
    losses.add(86'999 + done, 1);
    ASSERT_GE(losses.shown().size(), static_cast<std::size_t>(std::min<std::int64_t>(done, 300)));
    ASSERT_EQ(losses.shown().front().first, 87'000);
  }
}

TEST(Playback, RestartGivesTheFirstStateAndUndoTheLast) {
  Played run;
  const Value weight = run.value("hidden.weight");
  run.playback.set(weight.id(), 2, 3);
  run.playback.set_rate(0.5);
  for (int step = 0; step < 7; ++step) run.playback.train();
  run.playback.set(weight.id(), 1, 0.25);
  const std::vector<Tensor> edited = run.network->weights();
  const auto losses = run.playback.losses();
  run.playback.restart();
  EXPECT_EQ(run.playback.step(), 0);
  EXPECT_TRUE(same_bits(run.network->weights(), weights_after(0)));
  EXPECT_EQ(run.network->trainer().learning_rate(), 0.05);
  EXPECT_TRUE(run.playback.losses().empty());
  EXPECT_EQ(run.playback.undoable(), "restart");
  for (int step = 0; step < 3; ++step) run.playback.train();
  EXPECT_TRUE(same_bits(run.network->weights(), weights_after(3)));
  run.playback.undo();
  EXPECT_EQ(run.playback.step(), 7);
  EXPECT_TRUE(same_bits(run.network->weights(), edited));
  EXPECT_EQ(run.network->trainer().learning_rate(), 0.5);
  EXPECT_EQ(run.playback.losses(), losses);
  run.playback.undo();  // takes that back
  EXPECT_EQ(run.playback.step(), 3);
  EXPECT_TRUE(same_bits(run.network->weights(), weights_after(3)));
}

TEST(Playback, UndoTakesAnEditBackThoughItWasTypedInManySteps) {
  Played run;
  EXPECT_THROW(run.playback.undo(), ValueError);
  run.playback.train();
  const std::vector<Tensor> before = run.network->weights();
  for (const double to : {0., 0.7, 0.75}) run.playback.set(run.value("hidden.weight").id(), 2, to);
  EXPECT_FALSE(same_bits(run.network->weights(), before));
  run.playback.undo();
  EXPECT_TRUE(same_bits(run.network->weights(), before));
  run.playback.refresh();
  const double loss = run.playback.preview().loss();
  run.playback.set(run.value("hidden").id(), 3, 2);
  EXPECT_NE(run.playback.preview().loss(), loss);
  run.playback.undo();
  run.playback.refresh();
  EXPECT_EQ(run.playback.preview().loss(), loss);
  EXPECT_TRUE(run.playback.edits().empty());
}

// States are a matter of time alone: with room for one and with room for all the same is seen.
TEST(Playback, WhateverIsDoneTheSameBitsComeWithAndWithoutStates) {
  Played ample, tight(/*history_bytes=*/1);
  std::uint64_t random = 7;
  const auto next = [&](std::int64_t below) {
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::int64_t>((random >> 33) % static_cast<std::uint64_t>(below));
  };
  const ValueId weight = ample.value("hidden.weight").id();
  const auto both = [&](const std::function<void(Playback&)>& act) {
    act(ample.playback);
    act(tight.playback);
  };
  for (int round = 0; round < 120; ++round) {
    const std::int64_t kind = next(8), index = next(12), steps = next(9);
    const double to = static_cast<double>(next(100)) / 50 - 1;
    const std::int64_t back = next(ample.playback.step() + 1);
    if (kind < 3) {
      both([&](Playback& each) {
        for (std::int64_t i = 0; i < steps; ++i) each.train();
      });
    } else if (kind == 3) {
      both([&](Playback& each) { each.set(weight, index, to); });
    } else if (kind == 4) {
      both([&](Playback& each) { each.set_rate(0.05 + std::abs(to) / 20); });
    } else if (kind == 5) {
      both([&](Playback& each) { each.go_to(back); });
    } else if (kind == 6 && !ample.playback.undoable().empty()) {
      both([&](Playback& each) { each.undo(); });
    } else if (kind == 7 && round % 3 == 0) {
      both([&](Playback& each) { each.restart(); });
    }
    ASSERT_EQ(ample.playback.step(), tight.playback.step()) << round;
    ASSERT_TRUE(same_bits(ample.network->weights(), tight.network->weights())) << round;
    ASSERT_EQ(ample.playback.trainer().learning_rate(), tight.playback.trainer().learning_rate());
  }
}

TEST(Playback, StatesTakeTheRoomThatTheyHaveAndNoMore) {
  Played run;
  const std::vector<Trainer*> trainers = {&run.network->trainer()};
  run.playback.train();
  const std::size_t one = History::state_of(trainers).bytes;
  History history(5 * one + one / 2);
  for (int step = 1; step < 200; ++step) {
    run.playback.set(run.value("hidden.weight").id(), 0, step);
    run.playback.train();
    history.change({step, "hidden.weight", 0, step});
    history.keep(History::state_of(trainers));
    EXPECT_LE(history.bytes(), 5 * one + one / 2);
    EXPECT_EQ(history.first(), 2);
  }
  EXPECT_GE(history.bytes(), 2 * one);
  history.reserve(4 * one);
  EXPECT_LE(history.bytes(), one + one / 2);
}

// A long run with many edits, followed or not: states take what they may, edits nearly nothing.
TEST(Playback, ManyEditsOfALargeNetworkTakeNoMoreThanTheHistoryMay) {
  const Linear model("large", 600, 300, {.seed = 1});  // 2 MB a state
  const auto network = std::make_shared<OneBatch>(
      model, [model](const Value& x, const Value& t) { return mse_loss(model(x), t); }, 0.01,
      data::Dataset{init::normal({2, 600}, 1, 1), init::normal({2, 300}, 2, 1)});
  Playback playback(network, std::size_t{8} << 20);
  playback.refresh();
  for (int i = 0; i < 3; ++i) playback.train();
  playback.refresh();
  const ValueId weight = playback.preview().step().gradients.begin()->value.id();
  for (const bool followed : {false, true}) {
    if (followed) playback.begin_following();
    playback.set_rate(0.5);
    const double before = resident_mib();
    for (int i = 0; i < 40; ++i) {
      playback.set_rate(0.01 + i / 1000.);
      playback.set(weight, i, i);
      if (!followed) playback.train();
    }
    EXPECT_LT(resident_mib() - before, 24) << followed;  // 40 states have 86 MB
  }
}

// A label that is no class cannot be looked at, so it is not an edit.
TEST(Playback, ARefusedEditLeavesNoTrace) {
  auto network = std::make_shared<Classes>();
  Playback playback(network, kAmple);
  playback.refresh();
  const double loss = playback.preview().loss();
  const Graph& graph = playback.preview().step().graph;
  ValueId labels = -1;
  for (const Value& input : graph.inputs()) {
    if (!is_floating(input.dtype())) labels = input.id();
  }
  ASSERT_GE(labels, 0);
  playback.set(labels, 1, 2);
  const double edited = playback.preview().loss();
  EXPECT_NE(edited, loss);
  EXPECT_ANY_THROW(playback.set(labels, 0, 17));
  playback.refresh();
  EXPECT_EQ(playback.preview().loss(), edited);
  ASSERT_EQ(std::distance(playback.edits().begin(), playback.edits().end()), 1);
  playback.undo();
  playback.refresh();
  EXPECT_EQ(playback.preview().loss(), loss);
}

}  // namespace
}  // namespace aclgrad::live
