// SPDX-License-Identifier: Apache-2.0
// Random graphs: gradients against finite differences, and the same bits however they are run.
#include <gmock/gmock.h>

#include <functional>

#include "aclgrad/aclgrad.h"
#include "aclgrad/random.h"

namespace aclgrad {
namespace {

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

  Value grow() {
    using Grow = std::function<Value()>;
    const std::vector<Grow> growers = {
        [&] { return add(any(), matrix(), 0.5); },
        [&] { return sub(matrix(), any()); },
        [&] { return log_softmax(mul(matrix(), any()), -1) * 0.2; },
        [&] { return matmul(matrix(), matrix()) * 0.2; },
        [&] { return linear(matrix(), pool_[1], pool_[2]); },
        [&] { return transpose(matrix(), 0, 1) * 0.9; },
        [&] { return gelu(matrix()); },
        [&] { return gelu_v2(transpose(matrix(), 0, 1)); },
        [&] {
          return expand(geglu(reshape(matrix(), {2, 8})), {2, 4}) + mean(any());
        },
        [&] {
          return expand(reduce_sum(matrix(), {0}, true), {4, 4}) * 0.3;
        },
        [&] { return selu(matrix()); },
        [&] { return elu(transpose(matrix(), 0, 1), 1.2, 1, 1, BackwardFrom::result); },
        [&] { return hardswish(matrix()); },
    };
    const std::uint64_t count = growers.size() - (smooth_ ? 3 : 0);
    const Value value = growers[draw(count)]();
    return value.shape() == Shape{4, 4} ? value
                                        : matmul(transpose(value, 0, 1), expand(value, {2, 4}));
  }

  Random random_;
  bool smooth_;
  std::uint64_t next_ = 0;
  std::vector<Value> pool_;
};

TEST(RandomGraphs, GradientsAreRight) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    RandomGraph random(seed, true);
    const GradcheckReport report =
        gradcheck(random.loss, {}, {{random.x, init::normal({4, 4}, seed + 1000)}});
    EXPECT_TRUE(report.passed()) << "seed " << seed << "\n"
                                 << report.to_string() << random.graph.to_string();
    EXPECT_EQ(report.tensors.size(), 4u);
  }
}

TEST(RandomGraphs, SameBitsPlannedEagerAndWithMoreThreads) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    RandomGraph random(seed, false);
    const Gradients gradients = backward(random.loss, random.leaves);
    std::vector<Fetch> fetches = {random.loss};
    for (const auto& pair : gradients) fetches.emplace_back(pair.gradient);
    const Tensor feed = init::normal({4, 4}, seed + 1000);
    auto run = [&](SessionOptions options) {
      Session session(random.graph, fetches, options);
      const Results results = session.run({{random.x, feed}});
      std::vector<Tensor> tensors;
      for (const Fetch& fetch : fetches) tensors.push_back(results[fetch.values().front()]);
      return tensors;
    };
    set_num_threads(1);
    const std::vector<Tensor> planned = run({});
    const std::vector<Tensor> eager = run({.eager = true});
    set_num_threads(2);
    const std::vector<Tensor> threaded = run({});
    set_num_threads(0);
    for (std::size_t i = 0; i < planned.size(); ++i) {
      EXPECT_TRUE(bitwise_equal(planned[i], eager[i])) << "seed " << seed << ", fetch " << i;
      EXPECT_TRUE(bitwise_equal(planned[i], threaded[i])) << "seed " << seed << ", fetch " << i;
    }
  }
}

}  // namespace
}  // namespace aclgrad
