// SPDX-License-Identifier: Apache-2.0
// Random graphs: gradients against finite differences, and the same bits however they are run.
#include <gmock/gmock.h>

#include "aclgrad/aclgrad.h"
#include "tests/support/random_graph.h"

namespace aclgrad {
namespace {

using testing_support::RandomGraph;

TEST(RandomGraphs, GradientsAreRight) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    RandomGraph random(seed, true);
    const gradcheck::Report report =
        check_gradients(random.loss, {}, {{random.x, init::normal({4, 4}, seed + 1000)}});
    EXPECT_TRUE(report.passed()) << "seed " << seed << "\n"
                                 << report.to_string() << random.graph.to_string();
    EXPECT_EQ(report.gradients.size(), 4u);
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
