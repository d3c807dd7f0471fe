// SPDX-License-Identifier: Apache-2.0
// 16-bit activations over float32 weights, and the scaling of losses.
#include "aclgrad/optim/loss_scaler.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>

#include "aclgrad/aclgrad.h"

namespace aclgrad {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// loss = sum(w x) for w = [1, 2]: the gradient is x, and nothing but it.
struct Scaled {
  explicit Scaled(LossScalerOptions options) : scaler(options) {
    loss = reduce_sum(mul(w, x));
    const Gradients scaled = backward(loss, {w}, {.seed = scaler.seed(loss)});
    compute.emplace(graph, std::vector<Fetch>{loss, scaler.unscale(scaled), scaler.check()});
    update.emplace(update_graph,
                   std::vector<Fetch>{sgd.step(update_graph, scaler.gradients(update_graph))});
  }

  bool step(double first, double second) {
    const Results results = compute->run({{x, Tensor::from({2}, {first, second})}});
    const bool good = scaler.update(results);
    if (good) update->run();
    return good;
  }

  Tensor weights() const { return w.variable()->value(); }

  Graph graph;
  Graph update_graph;
  Value w = graph.parameter("w", Tensor::from({2}, {1, 2}));
  Value x = graph.input("x", {2});
  Value loss;
  LossScaler scaler;
  Sgd sgd{{.learning_rate = 0.5}};
  std::optional<Session> compute;
  std::optional<Session> update;
};

TEST(LossScaler, DividesTheScaleOutAgain) {
  Scaled s({.scale = 1024});
  EXPECT_TRUE(s.step(0.5, -3));
  EXPECT_TRUE(bitwise_equal(s.weights(), Tensor::from({2}, {0.75, 3.5}))) << s.weights();
  EXPECT_EQ(s.scaler.scale(), 1024);
  EXPECT_EQ(s.scaler.skipped(), 0);
}

TEST(LossScaler, NeverGoesBelowTheSmallestScale) {
  Scaled s({.scale = 4, .min_scale = 0.5});
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(s.step(kInfinity, 1));
  EXPECT_EQ(s.scaler.scale(), 0.5);
  EXPECT_TRUE(s.step(1, 1));
}

TEST(LossScaler, AcceptsManyFiniteGradientsOfFloat16) {
  Graph graph;
  const Value w = graph.parameter("w", Tensor::zeros({100000}, DType::float16));
  const Value loss = cast(reduce_sum(mul(w, w) + w), DType::float32);
  LossScaler scaler({.scale = 1});
  const Update kept = scaler.unscale(backward(loss, {w}, {.seed = scaler.seed(loss)}));
  Session session(graph, {kept, scaler.check()});
  const Results results = session.run();
  EXPECT_EQ(results[scaler.check()].item(), 100000);
  EXPECT_TRUE(scaler.update(results));
}

TEST(LossScaler, AcceptsEachRunOnceAndOnlyIfItKeptTheGradients) {
  Graph graph;
  const Value w = graph.parameter("w", Tensor::full({2}, 1));
  const Value loss = reduce_sum(mul(w, w));
  LossScaler scaler;
  const Update kept = scaler.unscale(backward(loss, {w}, {.seed = scaler.seed(loss)}));
  Session keeps(graph, {kept, scaler.check()});
  Session forgets(graph, {scaler.check()});
  const auto says = testing::ThrowsMessage<ValueError>(
      testing::HasSubstr("no run has written `w@gradient` since the last one that was accepted"));
  EXPECT_THAT([&] { scaler.update(forgets.run()); }, says);
  for (int run = 0; run < 2; ++run) {
    const Results results = keeps.run();
    EXPECT_TRUE(scaler.update(results));
    EXPECT_THAT([&] { scaler.update(results); }, says);
  }
}

TEST(LossScaler, SkipsTheUpdateAndBacksOffWhereSomethingIsNotFinite) {
  Scaled s({.scale = 1024});
  const Tensor before = s.weights();
  EXPECT_FALSE(s.step(kInfinity, 1));
  EXPECT_TRUE(bitwise_equal(s.weights(), before));
  EXPECT_EQ(s.scaler.scale(), 512);
  EXPECT_FALSE(s.step(1, std::nan("")));
  EXPECT_FALSE(s.step(kInfinity, -kInfinity));
  EXPECT_FALSE(s.step(1e38, 1e38)) << "finite, but not when scaled";
  EXPECT_TRUE(bitwise_equal(s.weights(), before));
  EXPECT_EQ(s.scaler.scale(), 64);
  EXPECT_EQ(s.scaler.skipped(), 4);
  EXPECT_TRUE(s.step(1, 0)) << "what was kept is overwritten";
  EXPECT_TRUE(bitwise_equal(s.weights(), Tensor::from({2}, {0.5, 2}))) << s.weights();
}

TEST(LossScaler, GrowsAfterPatienceUpToItsLargest) {
  Scaled s({.scale = 4, .growth_interval = 3, .max_scale = 16});
  const auto scale_after = [&](int steps) {
    for (int i = 0; i < steps; ++i) EXPECT_TRUE(s.step(0, 0));
    return s.scaler.scale();
  };
  EXPECT_EQ(scale_after(2), 4);
  EXPECT_EQ(scale_after(1), 8);
  EXPECT_FALSE(s.step(kInfinity, 0));
  EXPECT_EQ(scale_after(2), 4) << "the count of good steps begins anew";
  EXPECT_EQ(scale_after(1), 8);
  EXPECT_EQ(scale_after(9), 16);
}

TEST(LossScaler, TheStateCanBeTakenUpAgain) {
  Scaled first({.scale = 4, .growth_interval = 3});
  first.step(0, 0);
  first.step(kInfinity, 0);
  first.step(0, 0);
  first.step(0, 0);
  Scaled second({.scale = 64, .growth_interval = 3});
  restore(second.scaler.state(), {.tensors = values_of(first.scaler.state())});
  second.scaler.reload();
  EXPECT_EQ(second.scaler.scale(), 2);
  EXPECT_TRUE(second.step(0.5, 0));
  EXPECT_EQ(second.weights().get(0), 0.75) << "the inverse fits the scale";
  EXPECT_EQ(second.scaler.scale(), 4) << "the third good step";
}

TEST(LossScaler, ComplainsAboutMisuse) {
  Scaled s({});
  EXPECT_THROW(static_cast<void>(s.scaler.unscale(Gradients({{s.w, s.x}}))), ValueError)
      << "keeps already";
  LossScaler other;
  EXPECT_THROW(static_cast<void>(other.unscale(Gradients({{s.x, s.x}}))), ValueError)
      << "not a variable";
  EXPECT_THROW(other.seed(s.x), ShapeError);
  EXPECT_THROW(LossScaler({.scale = 0}), ValueError);
  EXPECT_THROW(LossScaler({.growth_factor = 0.5}), ValueError);
  EXPECT_THROW(LossScaler({.backoff_factor = 1}), ValueError);
  EXPECT_THROW(LossScaler({.growth_interval = 0}), ValueError);
  EXPECT_THROW(LossScaler({.scale = 8, .max_scale = 4}), ValueError);
  EXPECT_THROW(LossScaler({.max_scale = kInfinity}), ValueError) << "its inverse is 0";
  EXPECT_THROW(LossScaler({.growth_factor = kInfinity}), ValueError);
}

// A gradient that float16 cannot hold: 2^-30 x.
TEST(LossScaler, SavesGradientsThatFloat16WouldLose) {
  const auto gradient = [](double scale) {
    Graph graph;
    const Value w = graph.parameter("w", Tensor::from({1, 1}, {1}));
    const Value x = graph.constant(Tensor::from({1, 1}, {1}, DType::float16));
    const Value y = matmul(x, cast(w, DType::float16));
    const Value loss = reduce_sum(mul(cast(y, DType::float32), std::ldexp(1.0, -30)));
    LossScaler scaler({.scale = scale, .max_scale = scale});
    const Update kept = scaler.unscale(backward(loss, {w}, {.seed = scaler.seed(loss)}));
    Session session(graph, {kept, scaler.check()});
    EXPECT_TRUE(scaler.update(session.run()));
    return scaler.gradients(graph)[w].variable()->value().item();
  };
  EXPECT_EQ(gradient(1), 0);
  EXPECT_EQ(gradient(65536), std::ldexp(1.0, -30));
}

TEST(MixedPrecision, LayersComputeInTheDtypeOfTheirInput) {
  for (const DType dtype : {DType::bfloat16, DType::float16}) {
    Graph graph;
    const Value x = graph.input("x", {4, 3});
    const Linear layer("layer", 3, 2, {.seed = 1});
    const Value y = selu(layer(cast(x, dtype)));
    EXPECT_EQ(y.dtype(), dtype);
    const Value loss = mean(cast(y, DType::float32));
    for (const auto& [weight, gradient] : backward(loss, layer.parameters(graph))) {
      EXPECT_EQ(weight.dtype(), DType::float32);
      EXPECT_EQ(gradient.dtype(), DType::float32);
    }
  }
}

}  // namespace
}  // namespace aclgrad
