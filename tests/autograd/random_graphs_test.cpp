// SPDX-License-Identifier: Apache-2.0
// Gradients of random graphs against finite differences. MemoryPlan has their bits however they are
// run.
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

}  // namespace
}  // namespace aclgrad
