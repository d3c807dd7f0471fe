// SPDX-License-Identifier: Apache-2.0
#include "live/playback.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "tests/live/small_network.h"

namespace aclgrad::live {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::size_t kAmple = std::size_t{1} << 20;

// A network of one trainer, and the same batch at every step.
class OneBatch : public Network {
 public:
  OneBatch(const Module& model, const LossFunction& loss, double rate, data::Dataset batch)
      : optimizer_({.learning_rate = schedule::constant(rate)}),
        trainer_(model, loss, optimizer_),
        batch_(std::move(batch)) {}
  std::vector<Trainer*> trainers() override { return {&trainer_}; }
  data::Dataset batch(std::int64_t) override { return batch_; }

 private:
  AdamW optimizer_;
  Trainer trainer_;
  data::Dataset batch_;
};

struct Classes : OneBatch {
  explicit Classes(const Linear& model = Linear("scores", 3, 4, {.seed = 3}))
      : OneBatch(model,
                 [model](const Value& x, const Value& t) { return cross_entropy(model(x), t); },
                 0.05,
                 {init::normal({6, 3}, 1, 1),
                  Tensor::from({6}, std::vector<std::int64_t>{0, 1, 2, 3, 1, 0})}) {}
};

struct Xor : OneBatch {
  explicit Xor(const Sequential& model = Sequential(Linear("hidden", 2, 4, {.seed = 1}), Tanh{},
                                                    Linear("output", 4, 1, {.seed = 2})))
      : OneBatch(model, [model](const Value& x, const Value& t) { return mse_loss(model(x), t); },
                 0.03,
                 {Tensor::from({4, 2}, std::vector<float>{0, 0, 0, 1, 1, 0, 1, 1}),
                  Tensor::from({4, 1}, std::vector<float>{0, 1, 1, 0})}) {}
};

struct Squares : OneBatch {
  explicit Squares(const CustomElementwise& square,
                   const Linear& model = Linear("weighted", 3, 1, {.seed = 3}))
      : OneBatch(
            model,
            [model, square](const Value& x, const Value& t) {
              return mse_loss(square(model(x)), t);
            },
            0.05, batch_of(0)) {}
};

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
  Losses losses;
  for (std::int64_t step = 0; step < 50000; ++step) losses.add(step, loss_of(step));
  EXPECT_LE(losses.shown().size(), 600U);
  for (const std::int64_t to : {40000, 1200, 1199, 600, 599, 37, 1, 0}) {
    losses.forget_from(to);
    Losses fresh;
    for (std::int64_t step = 0; step < to; ++step) fresh.add(step, loss_of(step));
    auto wanted = fresh.shown(), found = losses.shown();
    // The step before is known again when it is computed again.
    const auto is_latest = [&](const Losses::Point& point) { return point.first == to - 1; };
    std::erase_if(wanted, is_latest);
    std::erase_if(found, is_latest);
    EXPECT_EQ(found, wanted) << to;
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
  const double loss = run.playback.look().loss();
  run.playback.set(run.value("hidden").id(), 3, 2);
  EXPECT_NE(run.playback.look().loss(), loss);
  run.playback.undo();
  run.playback.refresh();
  EXPECT_EQ(run.playback.look().loss(), loss);
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

// A label that is no class cannot be looked at, so it is not an edit.
TEST(Playback, ARefusedEditLeavesNoTrace) {
  auto network = std::make_shared<Classes>();
  Playback playback(network, kAmple);
  playback.refresh();
  const double loss = playback.look().loss();
  const Graph& graph = playback.look().step().graph;
  ValueId labels = -1;
  for (const Value& input : graph.inputs()) {
    if (!is_floating(input.dtype())) labels = input.id();
  }
  ASSERT_GE(labels, 0);
  playback.set(labels, 1, 2);
  const double edited = playback.look().loss();
  EXPECT_NE(edited, loss);
  EXPECT_ANY_THROW(playback.set(labels, 0, 17));
  playback.refresh();
  EXPECT_EQ(playback.look().loss(), edited);
  ASSERT_EQ(std::distance(playback.edits().begin(), playback.edits().end()), 1);
  playback.undo();
  playback.refresh();
  EXPECT_EQ(playback.look().loss(), loss);
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
    EXPECT_TRUE(check.agrees()) << name << ": " << check.sentence;
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
  EXPECT_TRUE(check.agrees()) << check.sentence;
  EXPECT_NE(check.ours, plain);
  EXPECT_TRUE(run.playback.check(hidden.id(), 2).agrees());
  EXPECT_THAT([&] { run.playback.check(run.value("hidden.weight").id(), 2); },
              ThrowsMessage<ValueError>(HasSubstr("lies before `selu(hidden)`")));
  run.playback.release(hidden.id());
  EXPECT_TRUE(run.playback.check(run.value("hidden.weight").id(), 2).agrees());
  EXPECT_TRUE(run.playback.check(run.value("features").id(), 0).agrees());
}

// What cancels leaves its rounding: a loss near 0 of outputs near 1.
TEST(Check, CondemnsNoRightGradientWhereOutputAndLabelCancel) {
  auto network = std::make_shared<Xor>();
  Playback playback(network, kAmple);
  int judged = 0, unclear = 0;
  for (const int steps : {0, 200, 1800}) {
    for (int step = 0; step < steps; ++step) playback.train();
    playback.refresh();
    std::vector<std::pair<ValueId, std::int64_t>> elements;
    for (const auto& [value, gradient] : playback.look().step().gradients) {
      if (value.variable() == nullptr) continue;
      for (std::int64_t i = 0; i < value.shape().numel(); ++i) elements.emplace_back(value.id(), i);
    }
    for (const auto& [value, index] : elements) {
      const Check check = playback.check(value, index);
      EXPECT_NE(check.verdict, Check::Verdict::differs)
          << steps << ": " << check.sentence << ", " << check.ours << ", " << check.slope;
      ++(check.agrees() ? judged : unclear);
    }
  }
  EXPECT_GE(judged, 30);  // of 51; and not all are let off
}

TEST(Check, NeverApprovesAGradientThatItsUserHasSet) {
  Played run;
  const Value weight = run.value("output.weight"), output = run.value("output");
  EXPECT_TRUE(run.playback.check(weight.id(), 0).agrees());
  const Value gradient = run.playback.look().step().gradients[output];
  run.playback.set(gradient.id(), 0, 5);
  Check check = run.playback.check(weight.id(), 0);
  EXPECT_EQ(check.verdict, Check::Verdict::edited) << check.sentence;
  EXPECT_THAT(check.sentence, HasSubstr("which agrees"));
  run.playback.refresh();
  EXPECT_FLOAT_EQ(static_cast<float>(check.shown), static_cast<float>(run.gradient(weight).get(0)));
  EXPECT_GT(std::abs(check.shown - check.ours), 0.1);
  // The gradient itself, too.
  run.playback.release(std::nullopt);
  run.playback.set(run.playback.look().step().gradients[weight].id(), 0, 0.125);
  check = run.playback.check(weight.id(), 0);
  EXPECT_EQ(check.verdict, Check::Verdict::edited) << check.sentence;
  EXPECT_EQ(check.shown, 0.125);
  run.playback.release(std::nullopt);
  EXPECT_TRUE(run.playback.check(weight.id(), 0).agrees());
}

TEST(Check, FindsAWrongRule) {
  for (const double factor : {0., 0.5, 1 + 1e-6}) {
    const CustomElementwise wrong = custom_elementwise(
        "wrong", [](auto x) { return x * x; },
        [factor](auto gradient, auto x) { return gradient * (2 + factor) * x; });
    Playback playback(std::make_shared<Squares>(wrong), kAmple);
    playback.refresh();
    const Value weight = playback.look().step().gradients.begin()->value;
    const Check check = playback.check(weight.id(), 1);
    EXPECT_EQ(check.verdict, factor == 0 ? Check::Verdict::agrees : Check::Verdict::differs)
        << factor << ": " << check.sentence;
  }
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
