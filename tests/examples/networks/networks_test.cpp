// SPDX-License-Identifier: Apache-2.0
// The networks of the examples, at tiny sizes: every gradient by finite differences, and the whole
// model by the rates of its Taylor remainders.
#include <gtest/gtest.h>

#include "aclgrad/aclgrad.h"
#include "examples/mobilenet/model.h"
#include "examples/transformer/model.h"

namespace aclgrad {
namespace {

Tensor numbers(const Shape& shape, std::int64_t below) {
  Tensor made = Tensor::zeros(shape, DType::int64);
  for (std::int64_t i = 0; i < made.numel(); ++i) made.set(i, static_cast<double>(i * 5 % below));
  return made;
}

TEST(Networks, TheTransformerHasRightGradients) {
  for (const std::string kind : {"geglu", "gelu", "relu"}) {
    SCOPED_TRACE(kind);
    const transformer::Transformer model(
        7, {.context = 4, .width = 6, .heads = 2, .blocks = 2, .geglu_hidden = 4, .hidden = 6},
        kind, DType::float32, 3);
    Graph graph;
    const Value text = graph.input("text", {2, 4}, DType::int64);
    const Value next = graph.input("next", {2, 4}, DType::int64);
    const Value loss = cross_entropy(model(text), next);
    const std::vector<Feed> feeds = {{text, numbers({2, 4}, 7)}, {next, numbers({2, 4}, 6)}};
    const gradcheck::Report gradients = check_gradients(loss, model.parameters(graph), feeds);
    EXPECT_TRUE(gradients.passed()) << gradients.to_string();
    EXPECT_EQ(gradients.gradients.size(), model.parameters().size());
    const ModelReport rates = check_model(loss, model.parameters(graph), feeds);
    EXPECT_TRUE(rates.passed()) << rates.to_string();
  }
}

TEST(Networks, TheMobileNetHasRightGradients) {
  const mobilenet::MobileNet model(
      {.stem = 4, .head = 6, .classes = 3, .bottlenecks = {{4, 8, 4, 3, 1}, {4, 8, 6, 3, 2}}},
      "hardswish", 3);
  Graph graph;
  const Value x = graph.input("x", {3, 1, 8, 8});
  const Value label = graph.input("label", {3}, DType::int64);
  const Value loss = cross_entropy(model(x), label);
  const std::vector<Feed> feeds = {{x, init::normal({3, 1, 8, 8}, 5)}, {label, numbers({3}, 3)}};
  const gradcheck::Report gradients = check_gradients(loss, model.parameters(graph), feeds);
  EXPECT_TRUE(gradients.passed()) << gradients.to_string();
  EXPECT_EQ(gradients.gradients.size(), model.parameters().size());
  const ModelReport rates = check_model(loss, model.parameters(graph), feeds);
  EXPECT_TRUE(rates.passed()) << rates.to_string();
}

}  // namespace
}  // namespace aclgrad
