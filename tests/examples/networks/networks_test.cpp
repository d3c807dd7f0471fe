// SPDX-License-Identifier: Apache-2.0
// The networks of the examples, at tiny sizes: every gradient by finite differences, and the whole
// model by the rates of its Taylor remainders.
#include <gtest/gtest.h>

#include "aclgrad/aclgrad.h"
#include "examples/convolution/model.h"
#include "examples/mobilenet/model.h"
#include "examples/recurrent/model.h"
#include "examples/spoken/model.h"
#include "examples/transformer/model.h"
#include "tests/examples/networks/one_input.h"

namespace aclgrad {
namespace {

Tensor numbers(const Shape& shape, std::int64_t below) {
  Tensor made = Tensor::zeros(shape, DType::int64);
  for (std::int64_t i = 0; i < made.numel(); ++i) made.set(i, static_cast<double>(i * 5 % below));
  return made;
}

// Of the model's parameters, for the loss of a batch.
template <class Model>
void expect_right_gradients(const Model& model, Value (*loss_of)(const Value&, const Value&),
                            const Tensor& features, const Tensor& labels) {
  Graph graph;
  const Value x = graph.input("x", features.shape(), features.dtype());
  const Value t = graph.input("t", labels.shape(), labels.dtype());
  const Value loss = loss_of(model(x), t);
  const std::vector<Feed> feeds = {{x, features}, {t, labels}};
  const gradcheck::Report gradients = check_gradients(loss, model.parameters(graph), feeds);
  EXPECT_TRUE(gradients.passed()) << gradients.to_string();
  EXPECT_EQ(gradients.gradients.size(), model.parameters().size());
  const ModelReport rates = check_model(loss, model.parameters(graph), feeds);
  EXPECT_TRUE(rates.passed()) << rates.to_string();
}

Value classified(const Value& scores, const Value& labels) { return cross_entropy(scores, labels); }

TEST(Networks, TheConvolutionalNetworkHasRightGradients) {
  constexpr std::int64_t kSide = 20;  // the smallest that leaves a pixel: 16, 12, 6, 4, 2, 1
  // The seeds, 1, give a point with no sum close to 0, where ELU's curvature jumps: next to such a
  // jump check_gradients takes an error of finite differences, 1e-7 of the derivative, for the
  // gradient's. With a smooth activation in its place, all of twelve seeds pass.
  for (const Activation kind : {Activation::elu, Activation::relu}) {
    SCOPED_TRACE(static_cast<int>(kind));
    const convolution::Network model({.side = kSide, .first = 2, .second = 3, .classes = 4}, kind,
                                     1);
    // four convolutions, two normalizations, a linear layer
    EXPECT_EQ(model.parameters().size(), 14u);
    expect_right_gradients(model, classified, init::normal({3, 1, kSide, kSide}, 1),
                           Tensor::from({3}, {2, 0, 3}, DType::int64));
  }
}

TEST(Networks, TheTransformerHasRightGradients) {
  for (const Activation kind : {Activation::geglu, Activation::gelu, Activation::relu}) {
    SCOPED_TRACE(static_cast<int>(kind));
    const transformer::Transformer model(
        7, {.context = 4, .width = 6, .heads = 2, .blocks = 2, .geglu_hidden = 4, .hidden = 6},
        kind, DType::float32, 3);
    expect_right_gradients(model, classified, numbers({2, 4}, 7), numbers({2, 4}, 6));
  }
}

TEST(Networks, TheMobileNetHasRightGradients) {
  const mobilenet::MobileNet model(
      {.stem = 4, .head = 6, .classes = 3, .bottlenecks = {{4, 8, 4, 3, 1}, {4, 8, 6, 3, 2}}},
      Activation::hardswish, 3);
  expect_right_gradients(model, classified, init::normal({3, 1, 8, 8}, 5), numbers({3}, 3));
}

TEST(Networks, TheRecurrentNetworksHaveRightGradients) {
  expect_right_gradients(
      recurrent::Adder(4), [](const Value& x, const Value& t) { return mse_loss(x, t); },
      init::normal({3, 5, 2}, 5), init::normal({3, 1}, 6));
  expect_right_gradients(recurrent::CharacterModel(7, {.width = 3, .hidden = 4}, DType::float32, 1),
                         classified, numbers({2, 5}, 7), numbers({2, 5}, 6));
}

TEST(Networks, TheTranslatorHasRightGradients) {
  const Tensor text =
      Tensor::from({2, 8}, {1, 4, 2, 6, 3, 5, 0, 1, 5, 2, 0, 0, 0, 5, 4, 2}, DType::int64);
  expect_right_gradients(TranslatorOfOneInput(), classified, text, numbers({2, 3}, 6));
}

TEST(Networks, TheListenerHasRightGradients) {
  expect_right_gradients(
      spoken::Listener({.bands = 8, .first = 2, .second = 3, .hidden = 3, .classes = 4}, 1),
      classified, init::normal({3, 1, 8, 12}, 5), numbers({3}, 4));
}

}  // namespace
}  // namespace aclgrad
