// SPDX-License-Identifier: Apache-2.0
// Hooks of a Trainer see what layers return in each step, and gradients, and change nothing.
#include <gmock/gmock.h>

#include "tests/support/message_of.h"
#include "tests/support/run.h"

namespace aclgrad {
namespace {

using testing::HasSubstr;

struct HookedNet : Module {
  Linear hidden{child("hidden"), 3, 4, {.seed = 1}};
  Linear out{child("out"), 4, 1, {.seed = 2}};
  Value operator()(const Value& x) const { return out(elu(hidden(x))); }
};

struct Hooked {
  explicit Hooked(const TrainerOptions& options = {}, double rate = 0.1)
      : optimizer({.learning_rate = rate}), trainer(model, mse_of(model), optimizer, options) {}
  HookedNet model;
  Sgd optimizer;
  Trainer trainer;
  std::vector<Tensor> seen;
  Trainer::Look keep() {
    return [this](const Tensor& value) { seen.push_back(value); };
  }
};

struct NoLog : TrainingLog {
  void point(const std::string&, const std::string&, double, double) override {}
};

data::Dataset hooked_batch(std::int64_t count = 8) {
  return {init::normal({count, 3}, 5), init::normal({count, 1}, 6)};
}

// What a session by hand gives for a batch.
std::pair<Tensor, Tensor> by_hand(const HookedNet& model, const data::Dataset& batch) {
  const Graph graph;
  const Value x = graph.input("x", batch.features.shape());
  const Value t = graph.input("t", batch.labels.shape());
  const Value hidden = model.hidden(x);
  const Value gradient = backward(mse_loss(model.out(elu(hidden)), t), {hidden})[hidden];
  Session session(graph, {hidden, gradient});
  const Results results = session.run({{x, batch.features}, {t, batch.labels}});
  return {results[hidden], results[gradient]};
}

TEST(Hooks, SeeValuesAndGradientsOfEachStep) {
  Hooked net;
  net.trainer.on_forward("hidden", net.keep());
  net.trainer.on_backward("hidden", net.keep());
  // Batches of other sizes have graphs of their own, which are kept.
  for (const std::int64_t count : {8, 5, 8}) {
    const auto [value, gradient] = by_hand(net.model, hooked_batch(count));
    net.seen.clear();
    net.trainer.step(hooked_batch(count));
    ASSERT_EQ(net.seen.size(), 2u);
    EXPECT_TRUE(bitwise_equal(net.seen[0], value));
    EXPECT_TRUE(bitwise_equal(net.seen[1], gradient));
  }
}

TEST(Hooks, KnowActivationsParametersAndTheLoss) {
  Hooked net;
  net.trainer.on_forward("elu(hidden)", net.keep());
  net.trainer.on_backward("elu(hidden)", net.keep());
  net.trainer.on_backward("out.weight", net.keep());
  net.trainer.on_forward("out.weight", net.keep());
  const Tensor before = net.model.out.state()[0].value();
  net.trainer.step(hooked_batch());
  ASSERT_EQ(net.seen.size(), 4u);
  EXPECT_EQ(net.seen[0].shape(), (Shape{8, 4}));
  EXPECT_EQ(net.seen[1].shape(), (Shape{8, 4}));
  EXPECT_TRUE(bitwise_equal(net.seen[3], before));
  // The step of plain SGD is the gradient.
  const Tensor after = net.model.out.state()[0].value();
  for (std::int64_t i = 0; i < before.numel(); ++i) {
    EXPECT_NEAR(before.get(i) - after.get(i), 0.1 * net.seen[2].get(i), 1e-6);
  }
}

TEST(Hooks, ChangeNoBits) {
  for (const TrainerOptions& options :
       {TrainerOptions{}, TrainerOptions{.micro_batches = 3},
        TrainerOptions{.loss_scaling = LossScalerOptions{.scale = 1024}}}) {
    Hooked plain(options), hooked(options);
    hooked.trainer.on_forward("hidden", hooked.keep());
    hooked.trainer.on_backward("hidden", hooked.keep());
    for (int step = 0; step < 4; ++step) {
      EXPECT_EQ(plain.trainer.step(hooked_batch()), hooked.trainer.step(hooked_batch()));
    }
    expect_same_bits(contents_of(plain.model.state()), contents_of(hooked.model.state()));
  }
}

TEST(Hooks, AreCalledForEveryPartAndWithoutTheLossScale) {
  Hooked parts({.micro_batches = 2}), scaled({.loss_scaling = LossScalerOptions{.scale = 1024}});
  const auto [value, gradient] = by_hand(parts.model, hooked_batch());
  parts.trainer.on_forward("hidden", parts.keep());
  parts.trainer.on_backward("hidden", parts.keep());
  parts.trainer.step(hooked_batch());
  ASSERT_EQ(parts.seen.size(), 4u);
  EXPECT_TRUE(bitwise_equal(parts.seen[0], value.slice(0, 0, 4)));
  EXPECT_TRUE(bitwise_equal(parts.seen[2], value.slice(0, 4, 8)));
  scaled.trainer.on_backward("hidden", scaled.keep());
  scaled.trainer.step(hooked_batch());
  ASSERT_EQ(scaled.seen.size(), 1u);
  for (std::int64_t i = 0; i < gradient.numel(); ++i) {
    EXPECT_NEAR(parts.seen[i < 16 ? 1 : 3].get(i % 16), gradient.get(i), 1e-7);
    EXPECT_NEAR(scaled.seen[0].get(i), gradient.get(i), 1e-7);
  }
}

TEST(Hooks, SeeWithinACheckpointedBlock) {
  HookedNet model;
  Sgd optimizer({.learning_rate = 0.1});
  Trainer trainer(
      model, [&](const Value& x, const Value& t) { return mse_loss(checkpointed(model)(x), t); },
      optimizer);
  std::vector<Tensor> seen;
  trainer.on_forward("hidden", [&](const Tensor& value) { seen.push_back(value); });
  trainer.on_backward("hidden", [&](const Tensor& value) { seen.push_back(value); });
  const auto [value, gradient] = by_hand(model, hooked_batch());
  trainer.step(hooked_batch());
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_TRUE(bitwise_equal(seen[0], value));
  EXPECT_TRUE(bitwise_equal(seen[1], gradient));
}

TEST(Hooks, ComeAndGo) {
  Hooked net;
  net.trainer.step(hooked_batch());
  net.trainer.on_forward("hidden", [&](const Tensor& value) {
    if (net.seen.empty()) net.trainer.on_forward("out", net.keep());
    net.seen.push_back(value);
  });
  net.trainer.step(hooked_batch());
  EXPECT_EQ(net.seen.size(), 1u);
  net.trainer.step(hooked_batch());
  EXPECT_EQ(net.seen.size(), 3u);
  EXPECT_EQ(net.seen[2].shape(), (Shape{8, 1}));
  NoLog log;
  net.trainer.observe(hooked_batch(), log);
  EXPECT_EQ(net.seen.size(), 3u);
  net.trainer.remove_hooks();
  net.trainer.step(hooked_batch());
  EXPECT_EQ(net.seen.size(), 3u);
  net.trainer.on_forward("hidden", [](const Tensor&) { throw ValueError("enough"); });
  EXPECT_THROW(net.trainer.step(hooked_batch()), ValueError);
  EXPECT_EQ(net.trainer.steps(), 5);
}

TEST(Hooks, SayWhichNamesThereAre) {
  Hooked net;
  EXPECT_THROW(net.trainer.on_forward("", net.keep()), ValueError);
  EXPECT_THROW(net.trainer.on_backward("hidden", {}), ValueError);
  net.trainer.on_forward("hiden", net.keep());
  EXPECT_THAT(message_of<ValueError>([&] { net.trainer.step(hooked_batch()); }),
              testing::AllOf(HasSubstr("`hiden`"), HasSubstr("`hidden`")));
  net.trainer.remove_hooks();
  net.trainer.step(hooked_batch());
}

}  // namespace
}  // namespace aclgrad
