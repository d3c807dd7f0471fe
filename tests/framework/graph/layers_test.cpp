// SPDX-License-Identifier: Apache-2.0
// Layers for images and sequences: shapes, what is trained and what is kept, the two modes, and the
// gradients of small networks of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "aclgrad/aclgrad.h"
#include "tests/support/message_of.h"

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
  const gradcheck::Report report = check_gradients(result, weights, feeds);
  EXPECT_TRUE(report.passed()) << report.to_string() << graph.to_string();
}

Sequential small_cnn() {
  return Sequential(
      Conv2d("conv", 2, 4, 3, {.padding = 1, .bias = false, .init_for = Activation::hardswish}),
      BatchNorm2d("norm", 4), Hardswish{},
      Residual(Conv2d("depthwise", 4, 4, 3, {.padding = 1, .groups = 4})), MaxPool2d{2},
      Dropout("drop", 0.25, 1), Flatten{}, Linear("out", 16, 3));
}

TEST(Layers, OfImagesKnowTheirVariablesAndTheirState) {
  const Sequential network = small_cnn();
  EXPECT_EQ(names_of(network.parameters()),
            (std::vector<std::string>{"conv.weight", "norm.weight", "norm.bias", "depthwise.weight",
                                      "depthwise.bias", "out.weight", "out.bias"}));
  EXPECT_EQ(names_of(network.buffers()),
            (std::vector<std::string>{"norm.running_mean", "norm.running_var", "drop.draws"}));
  EXPECT_EQ(network.parameters()[0].shape(), (Shape{4, 2, 3, 3}));
  EXPECT_EQ(network.parameters()[3].shape(), (Shape{4, 1, 3, 3}));
  Graph graph;
  EXPECT_EQ(network(graph.input("x", {5, 2, 4, 4})).shape(), (Shape{5, 3}));
  const Value pooled = GlobalAvgPool2d{}(graph.input("images", {5, 2, 4, 6}));
  EXPECT_EQ(pooled.shape(), (Shape{5, 2}));
  EXPECT_EQ(AvgPool2d{.kernel = 2}(graph.input("more", {5, 2, 4, 6})).shape(), (Shape{5, 2, 2, 3}));
}

TEST(Layers, OfImagesHaveRightGradientsInBothModes) {
  for (const Mode mode : {Mode::training, Mode::evaluation}) {
    const Sequential network = small_cnn();
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
  EXPECT_NEAR(norm.buffers()[0].value().get(0), 2, 1e-6);
  EXPECT_NEAR(norm.buffers()[1].value().get(0), 0.5 + 0.5 * 20 / 3, 1e-5);
  for (int twice = 0; twice < 2; ++twice) {
    Graph graph(Mode::evaluation);
    const Value x = graph.input("x", {2, 1, 1, 2});
    const Tensor y = run(graph, norm(x), {{x, images}});
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
  expect_right_gradients(graph, result, x, init::normal({2, 3, 4}, 6, 1), block.parameters(graph));
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

// h' of a gated recurrent unit for one number and one hidden unit.
double gru_step(double x, double h, const double (&w)[3], const double (&u)[3],
                const double (&b)[3], const double (&c)[3]) {
  const auto logistic = [](double v) { return 1 / (1 + std::exp(-v)); };
  const double r = logistic(x * w[0] + b[0] + h * u[0] + c[0]);
  const double z = logistic(x * w[1] + b[1] + h * u[1] + c[1]);
  const double n = std::tanh(x * w[2] + b[2] + r * (h * u[2] + c[2]));
  return (1 - z) * n + z * h;
}

TEST(Layers, AGruIsItsDefinitionStepByStep) {
  const Gru gru("gru", 1, 1);
  const double w[] = {0.5, -0.25, 1.5}, u[] = {-1, 0.75, 0.5}, b[] = {0.1, 0.2, -0.3},
               c[] = {-0.4, 0.5, 0.6};
  const std::vector<Variable> all = gru.parameters();
  EXPECT_EQ(names_of(all), (std::vector<std::string>{"gru.weight_ih_l0", "gru.weight_hh_l0",
                                                     "gru.bias_ih_l0", "gru.bias_hh_l0"}));
  all[0].assign(Tensor::from({1, 3}, std::span<const double>(w)));
  all[1].assign(Tensor::from({1, 3}, std::span<const double>(u)));
  all[2].assign(Tensor::from({3}, std::span<const double>(b)));
  all[3].assign(Tensor::from({3}, std::span<const double>(c)));
  const Tensor x = Tensor::from({2, 3, 1}, {1, -2, 0.5, 0, 3, -1});
  const Tensor y = predict(gru, x);
  ASSERT_EQ(y.shape(), (Shape{2, 3, 1}));
  for (std::int64_t n = 0; n < 2; ++n) {
    double h = 0;
    for (std::int64_t t = 0; t < 3; ++t) {
      h = gru_step(x.get(n * 3 + t), h, w, u, b, c);
      EXPECT_NEAR(y.get(n * 3 + t), h, 1e-6) << n << ' ' << t;
    }
  }
}

TEST(Layers, RecurrentAndNormalizingOnesHaveRightGradients) {
  const Gru gru("gru", 2, 3);
  Graph recurrent;
  const Value x = recurrent.input("x", {2, 3, 2});
  expect_right_gradients(recurrent, gru(x), x, init::normal({2, 3, 2}, 1),
                         gru.parameters(recurrent));
  const Sequential norms(Conv2d("conv", 2, 4, 1), GroupNorm("group", 2, 4), Tanh{},
                         AdaptiveAvgPool2d{2}, Flatten{}, RmsNorm("rms", 16));
  Graph images;
  const Value y = images.input("y", {2, 2, 4, 4});
  expect_right_gradients(images, norms(y), y, init::normal({2, 2, 4, 4}, 2),
                         norms.parameters(images));
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
      std::vector<Fetch> fetches = {y};
      for (const Value& each : wrt) fetches.emplace_back(gradients[each]);
      Session session(graph, fetches);
      const Results results = session.run({{x, init::normal({2, 40, 8}, 5, 1, dtype)}});
      found.emplace_back();
      for (std::size_t i = 0; i < fetches.size(); ++i) found.back().push_back(results[i]);
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

TEST(Layers, ALeftPaddedBatchTrains) {
  SelfAttention attention("a", 4, 1, {.causal = true});
  const Tensor padding = Tensor::from({1, 1, 1, 2}, {1, 0}, DType::boolean);
  Sgd sgd({.learning_rate = 0.1});
  Trainer trainer(
      attention,
      [&](const Value& x, const Value& t) {  // place 0 is not in the loss
        return mse_loss(slice(attention(x, x.graph().constant(padding)), 1, 1, 2), t);
      },
      sgd);
  const data::Dataset batch{init::normal({1, 2, 4}, 1), Tensor::zeros({1, 1, 4})};
  const double first = trainer.step(batch);
  EXPECT_LT(trainer.step(batch), first);
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
