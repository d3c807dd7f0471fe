// SPDX-License-Identifier: Apache-2.0
// Layers and initial values.
#include "aclgrad/nn.h"

#include <gmock/gmock.h>

#include <cmath>

#include "aclgrad/aclgrad.h"
#include "tests/support/run.h"

namespace aclgrad {
namespace {

TEST(Layers, LinearIsXTimesWPlusB) {
  Linear layer("l", 2, 3);
  layer.weight().assign(Tensor::from({2, 3}, {1, 2, 3, 4, 5, 6}));
  layer.bias()->assign(Tensor::from({3}, {10, 20, 30}));
  Graph graph;
  const Value y = layer(graph.constant(Tensor::from({1, 2}, {1, -1})));
  Session session(graph, {y});
  EXPECT_TRUE(bitwise_equal(session.run()[y], Tensor::from({1, 3}, {7, 17, 27})));
  EXPECT_THAT(names_in(layer.parameters()), testing::ElementsAre("l.weight", "l.bias"));
}

TEST(Layers, LinearWithoutBias) {
  Linear layer("l", 2, 3, {.bias = false});
  Graph graph;
  EXPECT_EQ(layer(graph.input("x", {5, 2})).shape(), (Shape{5, 3}));
  EXPECT_THAT(names_in(layer.parameters()), testing::ElementsAre("l.weight"));
  EXPECT_THROW(Linear("bad", 0, 3), ShapeError);
}

TEST(Layers, SequentialRunsAndListsItsParts) {
  Sequential net(Linear("in", 2, 8, {.init_for = Activation::selu, .seed = 1}), Selu{},
                 GegluFeedForward("ffn", 8, 6, 4, 2), Elu{.alpha = 2}, Hardswish{}, Gelu{});
  net.add(Linear("out", 4, 1));
  EXPECT_THAT(names_in(net.parameters()),
              testing::ElementsAre("in.weight", "in.bias", "ffn.up.weight", "ffn.up.bias",
                                   "ffn.down.weight", "ffn.down.bias", "out.weight", "out.bias"));
  Graph graph;
  const int line = __LINE__ + 1;
  const Value y = net(graph.input("x", {3, 2}));
  EXPECT_EQ(y.shape(), (Shape{3, 1}));
  EXPECT_EQ(static_cast<int>(y.node().where.line()), line) << "nodes belong to the caller's line";
  EXPECT_EQ(net.parameters(graph).size(), 8u);
  EXPECT_EQ(graph.variables().size(), 8u) << "asking for them must not bind them again";
}

TEST(Layers, GiveTheirNamesToWhatTheyReturn) {
  Sequential net(Linear("in", 2, 8), Selu{}, GegluFeedForward("ffn", 8, 6, 4), Hardswish{},
                 Linear("out", 4, 1, {.bias = false}));
  Graph graph;
  net(graph.input("x", {3, 2})).named("scores");
  std::vector<std::string> seen;
  for (std::size_t id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(static_cast<NodeId>(id));
    if (node.op->as_call() != nullptr) seen.push_back(graph.value(node.outputs[0]).name());
  }
  EXPECT_THAT(seen, testing::ElementsAre("in", "selu(in)", "ffn.up", "geglu(ffn.up)", "ffn.down",
                                         "hardswish(ffn.down)", "scores"));
  Graph unnamed;
  EXPECT_EQ(Sequential(Elu{})(unnamed.constant(Tensor::zeros({2}))).name(), "");
  EXPECT_EQ(Sequential(Elu{})(unnamed.input("x", {2}).named("y")).name(), "elu(y)");
}

TEST(Layers, OneLayerInTwoGraphsAndTwiceInOne) {
  Linear shared("shared", 2, 2);
  Sequential twice(shared, Selu{}, shared);
  EXPECT_EQ(twice.parameters().size(), 2u);
  Graph one;
  Graph two;
  twice(one.input("x", {1, 2}));
  twice(two.input("x", {7, 2}));
  EXPECT_EQ(one.variables().size(), 2u);
  EXPECT_TRUE(one.variables()[0] == two.variables()[0]);
}

TEST(Init, IsAFunctionOfSeedAndIndex) {
  EXPECT_TRUE(bitwise_equal(init::normal({3, 4}, 7), init::normal({3, 4}, 7)));
  EXPECT_FALSE(bitwise_equal(init::normal({3, 4}, 7), init::normal({3, 4}, 8)));
  EXPECT_EQ(init::normal({12}, 7).get(5), init::normal({3, 4}, 7).get(5));
}

double stddev(const Tensor& tensor) {
  double square = 0;
  for (std::int64_t i = 0; i < tensor.numel(); ++i) square += tensor.get(i) * tensor.get(i);
  return std::sqrt(square / static_cast<double>(tensor.numel()));
}

TEST(Init, Deviations) {
  const Shape shape{100, 300};
  EXPECT_NEAR(stddev(init::normal(shape, 1, 0.5)), 0.5, 0.01);
  EXPECT_NEAR(stddev(init::lecun_normal(shape, 1)), 0.1, 0.002);
  EXPECT_NEAR(stddev(init::he_normal(shape, 1)), std::sqrt(0.02), 0.003);
  EXPECT_NEAR(stddev(init::xavier_normal(shape, 1)), std::sqrt(2.0 / 400), 0.002);
  EXPECT_NEAR(stddev(init::xavier_uniform(shape, 1)), std::sqrt(2.0 / 400), 0.002);
  const Tensor uniform = init::uniform(shape, 1, 2, 3);
  EXPECT_NEAR(stddev(uniform), std::sqrt(19.0 / 3), 0.01);
  EXPECT_THROW(init::lecun_normal({3}, 1), ShapeError);
}

// E f(z)^2 for standard normal z, by the midpoint rule.
template <class F>
double second_moment(const F& f) {
  double sum = 0;
  const double h = 1e-4;
  for (double z = -12 + h / 2; z < 12; z += h) {
    sum += f(z) * f(z) * std::exp(-z * z / 2) / std::sqrt(2 * M_PI) * h;
  }
  return sum;
}

TEST(Init, GainsUndoTheActivations) {
  const double alpha = 1.6732632423543772;
  const double lambda = 1.0507009873554805;
  const auto sigmoid = [](double z) { return 1 / (1 + std::exp(-z)); };
  const auto expect = [](Activation activation, const std::function<double(double)>& f) {
    const double gain = init::gain(activation);
    EXPECT_NEAR(gain * gain * second_moment(f), 1, 1e-8) << static_cast<int>(activation);
  };
  expect(Activation::none, [](double z) { return z; });
  expect(Activation::relu, [](double z) { return std::max(z, 0.0); });
  expect(Activation::selu, [&](double z) { return lambda * (z > 0 ? z : alpha * std::expm1(z)); });
  expect(Activation::elu, [](double z) { return z > 0 ? z : std::expm1(z); });
  expect(Activation::hardswish,
         [](double z) { return z * std::min(std::max(z + 3, 0.0), 6.0) / 6; });
  const auto gelu = [](double z) { return 0.5 * z * std::erfc(-z / std::sqrt(2.0)); };
  expect(Activation::gelu, gelu);
  expect(Activation::geglu, gelu);
  expect(Activation::silu, [&](double z) { return z * sigmoid(z); });
  expect(Activation::mish, [](double z) { return z * std::tanh(std::log1p(std::exp(z))); });
  expect(Activation::leaky_relu, [](double z) { return z > 0 ? z : 0.01 * z; });
  expect(Activation::tanh, [](double z) { return std::tanh(z); });
  expect(Activation::sigmoid, sigmoid);
}

TEST(Init, EveryActivationHasANameAndIsTheFunctionOfThatName) {
  Graph graph;
  const Value x = graph.input("x", {1, 4});
  for (const std::string name : {"relu", "selu", "elu", "hardswish", "gelu", "geglu", "silu",
                                 "mish", "leaky_relu", "tanh", "sigmoid"}) {
    const Value y = Activate{activation_named(name)}(x);
    EXPECT_THAT(y.node().op->name(), testing::StartsWith(name));
  }
  EXPECT_EQ(Activate{activation_named("none")}(x), x);
  EXPECT_THROW(activation_named("swish"), ValueError);
}

TEST(Init, DrawsByTheNumbersOfASequence) {
  const Random random(7, /*stream=*/2);
  const Tensor drawn = init::normal({5}, random, 3);
  for (std::int64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(drawn.get(i), static_cast<float>(3 * random.normal(static_cast<std::uint64_t>(i))));
  }
  EXPECT_TRUE(bitwise_equal(init::normal({5}, Random(7)), init::normal({5}, 7)));
  EXPECT_TRUE(bitwise_equal(init::uniform({5}, Random(7), 0, 2), init::uniform({5}, 7, 0, 2)));
  EXPECT_FALSE(bitwise_equal(init::uniform({5}, random), init::uniform({5}, 7)));
}

}  // namespace
}  // namespace aclgrad
