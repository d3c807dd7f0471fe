// SPDX-License-Identifier: Apache-2.0
// Graphs of the kinds that people train, with their updates.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "aclgrad/aclgrad.h"
#include "aclgrad/random.h"

namespace aclgrad::networks {

struct Network {
  Graph graph;
  Value x, loss;
  std::vector<Value> parameters;
  std::vector<Fetch> fetches;
  Tensor feed;

  Session session(const SessionOptions& options) { return Session(graph, fetches, options); }

 protected:
  Value parameter(Shape shape, std::uint64_t seed) {
    parameters.push_back(
        graph.parameter(fmt::format("p{}", seed), init::normal(std::move(shape), seed, 0.1)));
    return parameters.back();
  }
  void train() {
    Sgd optimizer({.learning_rate = 0.01});
    fetches = {loss, optimizer.step(graph, backward(loss, parameters))};
    feed = init::normal(x.shape(), 99);
  }
};

/// `layers` layers of the same width, SELU between them.
struct Mlp : Network {
  Mlp(int layers, std::int64_t width, std::int64_t batch) {
    x = graph.input("x", {batch, width});
    Value h = x;
    for (int i = 0; i < layers; ++i) {
      const auto seed = static_cast<std::uint64_t>(2 * i);
      h = linear(h, parameter({width, width}, seed), parameter({width}, seed + 1));
      if (i + 1 < layers) h = selu(h);
    }
    loss = mse_loss(h, graph.constant(Tensor::zeros({batch, width})));
    train();
  }
};

/// Residual blocks x + W2 geglu(W1 x).
struct GegluStack : Network {
  GegluStack(int blocks, std::int64_t width, std::int64_t batch) {
    x = graph.input("x", {batch, width});
    Value h = x;
    for (int i = 0; i < blocks; ++i) {
      const auto seed = static_cast<std::uint64_t>(4 * i);
      const Value wide =
          linear(h, parameter({width, 8 * width}, seed), parameter({8 * width}, seed + 1));
      h = h + linear(geglu(wide), parameter({4 * width, width}, seed + 2),
                     parameter({width}, seed + 3));
    }
    loss = mean(mul(h, h));
    train();
  }
};

/// Trains two networks that begin alike, each under its own options: the losses and the parameters
/// have the same bits.
inline void expect_same_training(Network& a, const SessionOptions& of_a, Network& b,
                                 const SessionOptions& of_b, int steps) {
  Session first = a.session(of_a);
  Session second = b.session(of_b);
  for (int step = 0; step < steps; ++step) {
    EXPECT_TRUE(
        bitwise_equal(first.run({{a.x, a.feed}})[a.loss], second.run({{b.x, b.feed}})[b.loss]))
        << "step " << step;
  }
  ASSERT_EQ(a.parameters.size(), b.parameters.size());
  for (std::size_t i = 0; i < a.parameters.size(); ++i) {
    EXPECT_TRUE(
        bitwise_equal(a.parameters[i].variable()->value(), b.parameters[i].variable()->value()))
        << "parameter " << i;
  }
}

/// Layers of random widths, some joined by sums, with gradients.
struct RandomSizes : Network {
  explicit RandomSizes(std::uint64_t seed) {
    const Random random(seed);
    std::uint64_t next = 0;
    auto draw = [&](std::uint64_t bound) { return random.below(next++, bound); };
    auto width_of = [&] { return static_cast<std::int64_t>(8 + 8 * draw(24)); };
    const auto batch = static_cast<std::int64_t>(8 + 8 * draw(4));
    x = graph.input("x", {batch, width_of()});
    std::vector<Value> pool = {x};
    for (std::uint64_t i = 0, count = 8 + draw(40); i < count; ++i) {
      const Value& from = pool[draw(pool.size())];
      switch (draw(4)) {
        case 0:
          pool.push_back(selu(from));
          break;
        case 1:
          pool.push_back(geglu(from));
          break;
        case 2: {
          const Value& other = pool[draw(pool.size())];
          pool.push_back(from + matmul(other, parameter({other.shape()[1], from.shape()[1]}, i)));
          break;
        }
        default:
          pool.push_back(matmul(from, parameter({from.shape()[1], width_of()}, i)));
      }
      if (pool.back().shape()[1] % 2 != 0) pool.pop_back();
    }
    loss = mean(pool.back());
    for (const Value& value : pool) loss = loss + mean(mul(value, value)) * 0.1;
    fetches = {loss};
    for (const auto& pair : backward(loss, {x})) fetches.emplace_back(pair.gradient);
    if (!parameters.empty()) {
      for (const auto& pair : backward(loss, parameters)) fetches.emplace_back(pair.gradient);
    }
    feed = init::normal(x.shape(), seed);
  }
};

}  // namespace aclgrad::networks
