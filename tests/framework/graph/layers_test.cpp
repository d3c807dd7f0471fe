// SPDX-License-Identifier: Apache-2.0
// Layers for images and sequences: shapes, what is trained and what is kept, the two modes, and the
// gradients of small networks of them.
#include <gtest/gtest.h>

#include <cmath>

#include "aclgrad/aclgrad.h"

namespace aclgrad {
namespace {

std::vector<std::string> names_of(const std::vector<Variable>& variables) {
  std::vector<std::string> names;
  for (const Variable& variable : variables) names.push_back(variable.name());
  return names;
}

Tensor run(const Graph& graph, const Value& result, const std::vector<Feed>& feeds) {
  return Session(graph, {result}).run(feeds)[result];
}

// With respect to all variables and the input.
void expect_right_gradients(const Graph& graph, const Value& result, const Value& x,
                            const Tensor& input, std::vector<Value> weights) {
  weights.push_back(x);
  const std::vector<Feed> feeds = {{x, input}};
  const GradcheckReport report = check_gradients(result, weights, feeds);
  EXPECT_TRUE(report.passed()) << report.to_string() << graph.to_string();
}

Sequential small_cnn(const Generator& generator) {
  return Sequential(
      Conv2d("conv", 2, 4, 3, {.padding = 1, .bias = false, .activation = Activation::hardswish}),
      BatchNorm2d("norm", 4), Hardswish{},
      Residual(Conv2d("depthwise", 4, 4, 3, {.padding = 1, .groups = 4})), MaxPool2d{2},
      Dropout(0.25, generator), Flatten{}, Linear("out", 16, 3));
}

TEST(Layers, OfImagesKnowTheirVariablesAndTheirState) {
  const Generator generator(1, "draws");
  const Sequential network = small_cnn(generator);
  EXPECT_EQ(names_of(network.variables()),
            (std::vector<std::string>{"conv.weight", "norm.weight", "norm.bias", "depthwise.weight",
                                      "depthwise.bias", "out.weight", "out.bias"}));
  EXPECT_EQ(names_of(network.state()),
            (std::vector<std::string>{"norm.running_mean", "norm.running_var", "draws"}));
  EXPECT_EQ(network.variables()[0].shape(), (Shape{4, 2, 3, 3}));
  EXPECT_EQ(network.variables()[3].shape(), (Shape{4, 1, 3, 3}));
  Graph graph;
  EXPECT_EQ(network(graph.input("x", {5, 2, 4, 4})).shape(), (Shape{5, 3}));
  const Value pooled = GlobalAvgPool2d{}(graph.input("images", {5, 2, 4, 6}));
  EXPECT_EQ(pooled.shape(), (Shape{5, 2}));
  EXPECT_EQ(AvgPool2d{.kernel = 2}(graph.input("more", {5, 2, 4, 6})).shape(), (Shape{5, 2, 2, 3}));
}

TEST(Layers, OfImagesHaveRightGradientsInBothModes) {
  for (const Mode mode : {Mode::training, Mode::evaluation}) {
    const Sequential network = small_cnn(Generator(1));
    Graph graph(mode);
    const Value x = graph.input("x", {3, 2, 4, 4});
    const Value result = network(x);
    expect_right_gradients(graph, result, x, init::normal({3, 2, 4, 4}, 5, 1),
                           network.parameters(graph));
  }
}

// Training moves the running statistics towards those of the batch; evaluation uses them.
TEST(Layers, BatchNormKeepsStatisticsForEvaluation) {
  const BatchNorm2d norm("norm", 1, {.momentum = 0.5});
  const Tensor images = Tensor::from({2, 1, 1, 2}, {1, 3, 5, 7});  // mean 4, variances 5 and 20/3
  {
    Graph graph;
    const Value x = graph.input("x", {2, 1, 1, 2});
    const Tensor y = run(graph, norm(x), {{x, images}});
    EXPECT_NEAR(y.get(0), -3 / std::sqrt(5.0), 1e-4);
  }
  EXPECT_NEAR(norm.state()[0].value().get(0), 2, 1e-6);
  EXPECT_NEAR(norm.state()[1].value().get(0), 0.5 + 0.5 * 20 / 3, 1e-5);
  for (int twice = 0; twice < 2; ++twice) {
    Graph graph(Mode::evaluation);
    const Value x = graph.input("x", {2, 1, 1, 2});
    const Tensor y = run(graph, norm(x), {{x, images}});
    EXPECT_NEAR(y.get(0), (1 - 2) / std::sqrt(0.5 + 10.0 / 3), 1e-4);
  }
  EXPECT_NEAR(norm.state()[0].value().get(0), 2, 1e-6);
}

TEST(Layers, DropoutIsForTrainingOnly) {
  const Dropout dropout(0.5, Generator(3));
  const AlphaDropout alpha(0.5, Generator(4));
  Graph evaluation(Mode::evaluation);
  const Value x = evaluation.input("x", {8});
  EXPECT_EQ(dropout(x), x);
  EXPECT_EQ(alpha(x), x);
  Graph training;
  const Value y = training.input("x", {64});
  const Tensor dropped = run(training, dropout(y), {{y, Tensor::full({64}, 1)}});
  int zeros = 0;
  for (std::int64_t i = 0; i < 64; ++i) zeros += dropped.get(i) == 0 ? 1 : 0;
  EXPECT_GT(zeros, 10);
  EXPECT_LT(zeros, 54);
}

TEST(Layers, ResidualAddsWhatItsLayersReturn) {
  Graph graph;
  const Value x = graph.input("x", {3});
  const Tensor y = run(graph, Residual(Relu{})(x), {{x, Tensor::from({3}, {-1, 2, 3})}});
  EXPECT_TRUE(allclose(y, Tensor::from({3}, {-1, 4, 6}), 0, 0)) << y;
}

TEST(Layers, ATransformerBlockHasRightGradients) {
  const TransformerBlock block("block", 4, 2, 3, {.causal = true, .seed = 5});
  Graph graph;
  const Value x = graph.input("x", {2, 3, 4});
  const Value result = block(x);
  EXPECT_EQ(result.shape(), x.shape());
  expect_right_gradients(graph, result, x, init::normal({2, 3, 4}, 6, 1),
                         parameters(graph, block.variables()));
}

// What comes later changes nothing before it, unless places see each other.
TEST(Layers, CausalAttentionSeesThePastOnly) {
  for (const bool causal : {true, false}) {
    const SelfAttention attention("attention", 4, 2, {.causal = causal, .seed = 7});
    Graph graph(Mode::evaluation);
    const Value x = graph.input("x", {1, 3, 4});
    const Value y = attention(x);
    Tensor input = init::normal({1, 3, 4}, 8, 1);
    const Tensor before = run(graph, y, {{x, input}});
    input.set(11, 9);  // of the last place
    const Tensor after = run(graph, y, {{x, input}});
    bool is_first_the_same = true;
    for (std::int64_t i = 0; i < 8; ++i) is_first_the_same &= before.get(i) == after.get(i);
    EXPECT_EQ(is_first_the_same, causal);
    EXPECT_NE(before.get(8), after.get(8));
  }
}

TEST(Layers, AnEmbeddingIsARowForEachIndex) {
  const Embedding embedding("letters", 5, 3, 9);
  Graph graph;
  const Value indices = graph.input("indices", {2, 2}, DType::int64);
  const std::vector<std::int64_t> places = {4, 0, 0, 2};
  const Tensor rows = run(graph, embedding(indices), {{indices, Tensor::from({2, 2}, places)}});
  const Tensor weight = embedding.variables()[0].value();
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::int64_t k = 0; k < 3; ++k) {
      EXPECT_EQ(rows.get(static_cast<std::int64_t>(i) * 3 + k), weight.get(places[i] * 3 + k));
    }
  }
}

TEST(Layers, SayWhatDoesNotFit) {
  EXPECT_THROW(Conv2d("conv", 3, 4, 3, {.groups = 2}), ShapeError);
  EXPECT_THROW(SelfAttention("attention", 5, 2), ShapeError);
  EXPECT_THROW(Sequential(Dropout(0.1, Generator(1)), Dropout(0.1, Generator(2))), ValueError);
  Graph graph;
  EXPECT_THROW(SelfAttention("attention", 4, 2)(graph.input("x", {2, 4})), ShapeError);
  EXPECT_THROW(Flatten{}(graph.input("number", {})), ShapeError);
}

}  // namespace
}  // namespace aclgrad
