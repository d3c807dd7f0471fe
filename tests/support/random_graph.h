// SPDX-License-Identifier: Apache-2.0
// Random graphs for tests that something holds for any graph.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "aclgrad/aclgrad.h"
#include "aclgrad/random.h"

namespace aclgrad::testing_support {

// Grows a graph of matrices [4, 4] by random operators, with fan-out, broadcasting and views.
class RandomGraph {
 public:
  RandomGraph(std::uint64_t seed, bool smooth) : random_(seed), smooth_(smooth) {
    x = graph.input("x", {4, 4});
    pool_ = {x, graph.parameter("w", init::normal({4, 4}, seed + 1, 0.5)),
             graph.parameter("b", init::normal({4}, seed + 2, 0.5)),
             graph.parameter("s", init::normal({}, seed + 3, 0.5))};
    leaves = pool_;
    for (int i = 0; i < 12; ++i) pool_.push_back(grow());
    loss = mean(pool_.back());
    for (const Value& leaf : leaves) loss = loss + mean(mul(leaf, leaf));  // nothing is unused
    for (std::size_t i = 4; i + 1 < pool_.size(); ++i) loss = loss + mean(pool_[i]) * 0.3;
  }

  Graph graph;
  Value x, loss;
  std::vector<Value> leaves;

 private:
  std::uint64_t draw(std::uint64_t bound) { return random_.below(next_++, bound); }
  const Value& any() { return pool_[draw(pool_.size())]; }
  Value matrix() { return expand(any(), {4, 4}); }
  // w, whose slices are copies, or a value that has four rows.
  Value any_whole() {
    const Value& value = any();
    return value.shape().rank() == 2 ? value : pool_[1];
  }

  Value grow() {
    using Grow = std::function<Value()>;
    const std::vector<Grow> growers = {
        [&] { return add(any(), matrix(), 0.5); },
        [&] { return sub(matrix(), any()); },
        [&] { return log_softmax(mul(matrix(), any()), -1) * 0.2; },
        [&] { return matmul(matrix(), matrix()) * 0.2; },
        [&] { return linear(matrix(), pool_[1], pool_[2]); },
        [&] { return transpose(matrix(), 0, 1) * 0.9; },
        [&] { return gelu(matrix(), Approximate::tanh); },
        [&] { return gelu(transpose(matrix(), 0, 1)); },
        [&] {
          return expand(geglu(reshape(matrix(), {2, 8})), {2, 4}) + mean(any());
        },
        [&] {
          return expand(reduce_sum(matrix(), {0}, true), {4, 4}) * 0.3;
        },
        [&] { return tanh(any()) + matrix(); },
        [&] { return silu(matrix()); },
        [&] { return sigmoid(transpose(matrix(), 0, 1)); },
        [&] { return softplus(matrix(), 1.5, 30); },
        [&] { return exp(sin(matrix())) * 0.5; },
        [&] {
          const Value m = matrix();
          return log(sqrt(m * m + 1));
        },
        [&] { return rsqrt(exp(cos(matrix()))) + erf(any()); },
        [&] {
          const Value m = matrix();
          return cat({slice(m, 1, 2) * 0.9, slice(m, 1, 0, 2)}, 1);
        },
        [&] {
          const std::vector<Value> parts = split(matrix(), {1, 3}, 0);
          return parts[0] * slice(tanh(parts[1]), 0, 1, 2) + matrix();
        },
        [&] {
          return reshape(slice(permute(reshape(matrix(), {2, 2, 4}), {1, 2, 0}), 0, 1), {2, 4});
        },
        [&] { return slice(any_whole(), 0, 0, 4, 2) * 0.7; },
        // The last ones have corners.
        [&] { return leaky_relu(matrix(), 0.2) - relu(any()); },
        [&] { return selu(matrix()); },
        [&] { return elu(transpose(matrix(), 0, 1), 1.2, 1, 1, BackwardFrom::result); },
        [&] { return hardswish(matrix()); },
    };
    const std::uint64_t count = growers.size() - (smooth_ ? 4 : 0);
    const Value value = growers[draw(count)]();
    return value.shape() == Shape{4, 4} ? value
                                        : matmul(transpose(value, 0, 1), expand(value, {2, 4}));
  }

  Random random_;
  bool smooth_;
  std::uint64_t next_ = 0;
  std::vector<Value> pool_;
};

}  // namespace aclgrad::testing_support
