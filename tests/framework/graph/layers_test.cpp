// SPDX-License-Identifier: Apache-2.0
// Layers for images and sequences: shapes, what is trained and what is kept, and the two modes.
// Float64.EveryLayersGradientIsRight has their gradients.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/message_of.h"
#include "tests/support/run.h"

namespace aclgrad {
namespace {

Sequential small_cnn() {
  return Sequential(
      Conv2d("conv", 2, 4, 3, {.padding = 1, .bias = false, .init_for = Activation::hardswish}),
      BatchNorm2d("norm", 4), Hardswish{},
      Residual(Conv2d("depthwise", 4, 4, 3, {.padding = 1, .groups = 4})), MaxPool2d{2},
      Dropout("drop", 0.25, 1), Flatten{}, Linear("out", 16, 3));
}

TEST(Layers, OfImagesKnowTheirVariablesAndTheirState) {
  const Sequential network = small_cnn();
  EXPECT_EQ(names_in(network.parameters()),
            (std::vector<std::string>{"conv.weight", "norm.weight", "norm.bias", "depthwise.weight",
                                      "depthwise.bias", "out.weight", "out.bias"}));
  EXPECT_EQ(names_in(network.buffers()),
            (std::vector<std::string>{"norm.running_mean", "norm.running_var", "drop.draws"}));
  EXPECT_EQ(network.parameters()[0].shape(), (Shape{4, 2, 3, 3}));
  EXPECT_EQ(network.parameters()[3].shape(), (Shape{4, 1, 3, 3}));
  Graph graph;
  EXPECT_EQ(network(graph.input("x", {5, 2, 4, 4})).shape(), (Shape{5, 3}));
  const Value pooled = GlobalAvgPool2d{}(graph.input("images", {5, 2, 4, 6}));
  EXPECT_EQ(pooled.shape(), (Shape{5, 2}));
  EXPECT_EQ(AvgPool2d{.kernel = 2}(graph.input("more", {5, 2, 4, 6})).shape(), (Shape{5, 2, 2, 3}));
}

// Training moves the running statistics towards those of the batch; evaluation uses them.
TEST(Layers, BatchNormKeepsStatisticsForEvaluation) {
  const BatchNorm2d norm("norm", 1, {.momentum = 0.5});
  const Tensor images = Tensor::from({2, 1, 1, 2}, {1, 3, 5, 7});  // mean 4, variances 5 and 20/3
  {
    Graph graph;
    const Value x = graph.input("x", {2, 1, 1, 2});
    const Tensor y = computed(norm(x), {{x, images}});
    EXPECT_NEAR(y.get(0), -3 / std::sqrt(5.0), 1e-4);
  }
  EXPECT_NEAR(norm.buffers()[0].value().get(0), 2, 1e-6);
  EXPECT_NEAR(norm.buffers()[1].value().get(0), 0.5 + 0.5 * 20 / 3, 1e-5);
  for (int twice = 0; twice < 2; ++twice) {
    Graph graph(Mode::evaluation);
    const Value x = graph.input("x", {2, 1, 1, 2});
    const Tensor y = computed(norm(x), {{x, images}});
    EXPECT_NEAR(y.get(0), (1 - 2) / std::sqrt(0.5 + 10.0 / 3), 1e-4);
  }
  EXPECT_NEAR(norm.buffers()[0].value().get(0), 2, 1e-6);
}

// As in PyTorch.
TEST(Layers, BatchNormOfEqualNumbersWithoutEps) {
  const BatchNorm2d norm("norm", 2, {.eps = 0});
  norm.parameters()[1].assign(Tensor::from({2}, {7, 0}));  // bias
  const Tensor images = Tensor::from({2, 2, 1, 1}, {3, 1, 3, 2});
  Graph graph;
  const Value x = graph.input("x", {2, 2, 1, 1});
  const Value y = norm(x);
  const Value weight = graph.parameter(norm.parameters()[0]);
  const Gradients gradients = backward(reduce_sum(y * y), {x, weight});
  Session session(graph, {y, gradients[x], gradients[weight]});
  const Results results = session.run({{x, images}});
  EXPECT_TRUE(bitwise_equal(results[0], Tensor::from({2, 2, 1, 1}, {7, -1, 7, 1})));
  EXPECT_EQ(results[1].get(0), 0);
  EXPECT_EQ(results[2].get(0), 0);
  EXPECT_EQ(results[2].get(1), 4);
}

TEST(Layers, DropoutIsForTrainingOnly) {
  const Dropout dropout("dropout", 0.5, 3);
  const AlphaDropout alpha("alpha", 0.5, 4);
  Graph evaluation(Mode::evaluation);
  const Value x = evaluation.input("x", {8});
  EXPECT_EQ(dropout(x), x);
  EXPECT_EQ(alpha(x), x);
  Graph training;
  const Value y = training.input("x", {64});
  const Tensor dropped = computed(dropout(y), {{y, Tensor::full({64}, 1)}});
  int zeros = 0;
  for (std::int64_t i = 0; i < 64; ++i) zeros += dropped.get(i) == 0 ? 1 : 0;
  EXPECT_GT(zeros, 10);
  EXPECT_LT(zeros, 54);
}

TEST(Layers, ResidualAddsWhatItsLayersReturn) {
  Graph graph;
  const Value x = graph.input("x", {3});
  const Tensor y = computed(Residual(Relu{})(x), {{x, Tensor::from({3}, {-1, 2, 3})}});
  EXPECT_TRUE(allclose(y, Tensor::from({3}, {-1, 4, 6}), 0, 0)) << y;
}

TEST(Layers, AnEmbeddingIsARowForEachIndex) {
  const Embedding embedding("letters", 5, 3, 9);
  Graph graph;
  const Value indices = graph.input("indices", {2, 2}, DType::int64);
  const std::vector<std::int64_t> places = {4, 0, 0, 2};
  const Tensor rows = computed(embedding(indices), {{indices, Tensor::from({2, 2}, places)}});
  const Tensor weight = embedding.parameters()[0].value();
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::int64_t k = 0; k < 3; ++k) {
      EXPECT_EQ(rows.get(static_cast<std::int64_t>(i) * 3 + k), weight.get(places[i] * 3 + k));
    }
  }
}

TEST(Layers, AnEmbeddingBagIsTheFunctionOfItsWeight) {
  for (const BagMode mode : {BagMode::sum, BagMode::mean, BagMode::max}) {
    const EmbeddingBag bags("words", 5, 3, {.mode = mode, .seed = 9, .padding_idx = -1});
    Graph graph;
    const Value weight = graph.parameter(bags.weight());
    const Value indices =
        graph.constant(Tensor::from({5}, std::vector<std::int64_t>{1, 4, 0, 2, 4}));
    const Value offsets = graph.constant(Tensor::from({3}, std::vector<std::int64_t>{0, 2, 4}));
    const Value of_layer = bags(indices, offsets);
    const Value of_function =
        embedding_bag(weight, indices, offsets, {.mode = mode, .padding_idx = 4});
    Session session(graph, {of_layer, of_function});
    const Results results = session.run({});
    EXPECT_TRUE(bitwise_equal(results[of_layer], results[of_function]));
    // The first has one word beside padding, the last has padding alone.
    const Tensor words = bags.weight().value();
    for (std::int64_t i = 0; i < 3; ++i) {
      EXPECT_EQ(results[of_layer].at({0, i}), words.at({1, i}));
      EXPECT_EQ(results[of_layer].at({2, i}), 0);
      EXPECT_EQ(words.at({4, i}), 0);
    }
  }
  EXPECT_THROW(EmbeddingBag("words", 0, 3), ShapeError);
  EXPECT_THROW(EmbeddingBag("words", 5, 3, {.padding_idx = 5}), ValueError);
}

// Where nothing can be hidden, short sequences go through products and softmax, others through one
// operator: the same numbers and gradients.
TEST(Layers, AttentionInOneOperatorIsThatOfItsParts) {
  for (const DType dtype : {DType::float32, DType::float64}) {
    const SelfAttention attention("a", 8, 2, {.seed = 4, .dtype = dtype});
    std::vector<std::vector<Tensor>> found;
    for (const bool masked : {false, true}) {
      Graph graph;
      const Value x = graph.input("x", {2, 40, 8}, dtype);
      const Value mask = graph.constant(Tensor::zeros({40}, DType::boolean));  // hides nothing
      const Value y = masked ? attention(x, mask) : attention(x);
      EXPECT_EQ(graph.to_string().find("scaled_dot_product_attention") != std::string::npos,
                masked);
      std::vector<Value> wrt = attention.parameters(graph);
      wrt.push_back(x);
      const Gradients gradients = backward(reduce_sum(y * y), wrt);
      std::vector<Value> fetches = {y};
      for (const Value& each : wrt) fetches.push_back(gradients[each]);
      found.push_back(computed(fetches, {{x, init::normal({2, 40, 8}, 5, 1, dtype)}}));
    }
    for (std::size_t k = 0; k < found[0].size(); ++k) {
      EXPECT_TRUE(allclose(found[0][k], found[1][k], 1e-4, 1e-4)) << k;
    }
  }
}

// Of few queries at a time: the same numbers and gradients, and weights to look at.
TEST(Layers, LongAttentionIsThatOfItsParts) {
  constexpr std::int64_t kPlaces = 256;
  Tensor later = Tensor::zeros({kPlaces, kPlaces}, DType::boolean);
  for (std::int64_t i = 0; i < kPlaces; ++i) {
    for (std::int64_t j = i + 1; j < kPlaces; ++j) later.set(i * kPlaces + j, 1);
  }
  Tensor padding = Tensor::zeros({2, 1, 1, kPlaces}, DType::boolean);
  for (std::int64_t j = 0; j < 200; ++j) padding.set(j, 1);  // of the first example, from the left
  for (const bool causal : {false, true}) {
    Graph graph;
    const Value x = graph.input("x", {2, kPlaces, 8});
    const MultiheadAttention attention("a", 8, 2, {.causal = causal, .seed = 4});
    const MultiheadAttention in_parts("a", 8, 2, {.seed = 4});
    const Value hidden = graph.constant(padding);
    const Value y = attention(x, x, x, hidden);
    std::vector<Value> parts;
    Graph other;
    const Value same = other.input("x", {2, kPlaces, 8});
    for (const std::int64_t first : {std::int64_t{0}, kPlaces / 4, kPlaces / 2, 3 * kPlaces / 4}) {
      const std::int64_t end = first + kPlaces / 4;
      Value mask = other.constant(padding);
      if (causal) mask = maximum(mask, slice(other.constant(later), 0, first, end));
      parts.push_back(in_parts(slice(same, 1, first, end), same, same, mask));
    }
    const Value joined = cat(parts, 1);
    Value shares;
    for (std::size_t id = 0; id < graph.value_count(); ++id) {
      const Value value = graph.value(static_cast<ValueId>(id));
      if (value.name() == "a.attention") shares = value;
    }
    const Tensor at = init::normal({2, kPlaces, 8}, 5);
    const Value slope = backward(reduce_sum(y * y), {x})[x];
    const Value slope_of_parts = backward(reduce_sum(joined * joined), {same})[same];
    Session session(graph, {y, slope, shares}), session_of_parts(other, {joined, slope_of_parts});
    const Results found = session.run({{x, at}});
    const Results expected = session_of_parts.run({{same, at}});
    for (const std::size_t k : {0, 1}) {
      for (std::int64_t i = 0; i < at.numel(); ++i) {
        ASSERT_NEAR(found[k].get(i), expected[k].get(i), 1e-5) << causal << " " << k << " " << i;
      }
    }
    const Tensor rows = found[std::size_t{2}];
    ASSERT_EQ(rows.shape(), (Shape{2, 2, kPlaces, kPlaces}));
    double sum = 0;
    for (std::int64_t j = 0; j < kPlaces; ++j) sum += rows.get(rows.numel() - kPlaces + j);
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

// Masks cost nothing where there are none.
TEST(Layers, CausalAttentionWithoutAMaskHasOneMaskedFill) {
  const SelfAttention attention("a", 4, 2, {.causal = true});
  Graph graph;
  attention(graph.input("x", {2, 3, 4}));
  int choices = 0;
  for (std::size_t id = 0; id < graph.size(); ++id) {
    const std::string_view name = graph.node(static_cast<NodeId>(id)).op->name();
    choices += name == "where" ? 1 : 0;
    EXPECT_NE(name, "amin");
  }
  EXPECT_EQ(choices, 1);
}

TEST(Layers, SayWhatDoesNotFit) {
  Graph sequences;
  EXPECT_THAT(
      [&] {
        Gru("gru", 2, 3)(sequences.input("x", {1, 0, 2}));
      },
      testing::ThrowsMessage<ShapeError>(testing::HasSubstr("at least one step")));
  EXPECT_THROW(Conv2d("conv", 3, 4, 3, {.groups = 2}), ShapeError);
  EXPECT_THROW(SelfAttention("attention", 5, 2), ShapeError);
  EXPECT_THROW(Sequential(Dropout("drop", 0.1), Dropout("drop", 0.2)), ValueError);
  Graph graph;
  EXPECT_THROW(SelfAttention("attention", 4, 2)(graph.input("x", {2, 4})), ShapeError);
  EXPECT_THROW(Flatten{}(graph.input("number", {})), ShapeError);
}

// The variance of one number says nothing: the result was 0, and running_var shrank.
TEST(Layers, BatchNormOfOneValueAChannelIsAnErrorInTraining) {
  const BatchNorm2d norm("norm", 2);
  const Tensor one = Tensor::from({1, 2, 1, 1}, {5, -7});
  for (const bool frozen : {false, true}) {
    Graph graph, evaluation(Mode::evaluation);
    const Value x = graph.constant(one), y = evaluation.constant(one);
    if (frozen) {
      norm.freeze();
      EXPECT_NO_THROW(norm(x));
    } else {
      EXPECT_THAT(message_of<ValueError>([&] { norm(x); }),
                  testing::HasSubstr("expected more than 1 value per channel when training"));
    }
    EXPECT_NO_THROW(norm(y));
    EXPECT_NO_THROW(norm(graph.input(frozen ? "a" : "b", {1, 2, 1, 2})));
  }
}

}  // namespace
}  // namespace aclgrad
