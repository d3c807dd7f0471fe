// SPDX-License-Identifier: Apache-2.0
#include "live/check.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/live/played.h"

namespace aclgrad::live {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

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
    if (run.playback.preview().step().gradients.contains(value)) {
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
    for (const auto& [value, gradient] : playback.preview().step().gradients) {
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
  const Value gradient = run.playback.preview().step().gradients[output];
  run.playback.set(gradient.id(), 0, 5);
  Check check = run.playback.check(weight.id(), 0);
  EXPECT_EQ(check.verdict, Check::Verdict::edited) << check.sentence;
  EXPECT_THAT(check.sentence, HasSubstr("which agrees"));
  run.playback.refresh();
  EXPECT_FLOAT_EQ(static_cast<float>(check.shown), static_cast<float>(run.gradient(weight).get(0)));
  EXPECT_GT(std::abs(check.shown - check.ours), 0.1);
  // The gradient itself, too.
  run.playback.release(std::nullopt);
  run.playback.set(run.playback.preview().step().gradients[weight].id(), 0, 0.125);
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
    const Value weight = playback.preview().step().gradients.begin()->value;
    const Check check = playback.check(weight.id(), 1);
    EXPECT_EQ(check.verdict, factor == 0 ? Check::Verdict::agrees : Check::Verdict::differs)
        << factor << ": " << check.sentence;
  }
}

TEST(Check, RefusesWhatHasNoGradient) {
  Played run;
  EXPECT_THROW(run.playback.check(run.value("hidden").id(), 24), ShapeError);
  const Variable weight = run.network->trainer().model().parameters().front();
  const Value updated = run.playback.preview().step().graph.parameter(weight);
  EXPECT_THAT([&] { run.playback.check(updated.id(), 0); },
              ThrowsMessage<ValueError>(HasSubstr("does not depend")));
}

}  // namespace
}  // namespace aclgrad::live
