// SPDX-License-Identifier: Apache-2.0
// The convolutional network of the examples, at a tiny size, in double: every gradient by finite
// differences, and the whole by the rates of its Taylor remainders.
#include "examples/convolution/model.h"

#include <gtest/gtest.h>

#include "aclgrad/aclgrad.h"

namespace aclgrad {
namespace {

TEST(Networks, TheConvolutionalNetworkHasRightGradients) {
  constexpr std::int64_t kSide = 20;  // the smallest that leaves a pixel: 16, 12, 6, 4, 2, 1
  const Shape images{3, 1, kSide, kSide};
  // The seeds, 1, give a point with no sum close to 0, where ELU's curvature jumps: next to such a
  // jump check_gradients takes an error of finite differences, 1e-7 of the derivative, for the
  // gradient's. With a smooth activation in its place, all of twelve seeds pass.
  for (const std::string kind : {"elu", "relu"}) {
    SCOPED_TRACE(kind);
    const convolution::Network model({.side = kSide, .first = 2, .second = 3, .classes = 4}, kind,
                                     1);
    Graph graph;
    const Value x = graph.input("x", images);
    const Value label = graph.input("label", {3}, DType::int64);
    const Value loss = cross_entropy(model(x), label);
    const std::vector<Feed> feeds = {{x, init::normal(images, 1)},
                                     {label, Tensor::from({3}, {2, 0, 3}, DType::int64)}};
    const std::vector<Value> parameters = model.parameters(graph);
    EXPECT_EQ(parameters.size(), 14u);  // four convolutions, two normalizations, a linear layer
    const gradcheck::Report gradients = check_gradients(loss, parameters, feeds);
    EXPECT_TRUE(gradients.passed()) << gradients.to_string();
    EXPECT_EQ(gradients.gradients.size(), parameters.size());
    const ModelReport rates = check_model(loss, parameters, feeds);
    EXPECT_TRUE(rates.passed()) << rates.to_string();
  }
}

}  // namespace
}  // namespace aclgrad
