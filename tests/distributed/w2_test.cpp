// SPDX-License-Identifier: Apache-2.0
// W2 of the benchmarks on 1, 2 and 4 ranks: the same training, however its parts are divided.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/distributed/training.h"

namespace aclgrad::testing {
namespace {

constexpr std::int64_t kSteps = 24;  // three epochs

// Relative to the loss, which falls far below 1 on the way.
constexpr double kTolerance = 1e-6;

TEST(W2, HasTheLossesOfOneRankOnTheSameBatches) {
  const Settings settings{.problem = kW2, .steps = kSteps};
  const Outcome alone = train(Communicator(), settings);
  ASSERT_EQ(alone.losses.size(), static_cast<std::size_t>(kSteps));
  EXPECT_LT(alone.losses.back(), 0.1 * alone.losses.front()) << "it learns";
  for (const int ranks : {2, 4}) {
    const Outcome together = train_on(ranks, settings);
    ASSERT_EQ(together.losses.size(), alone.losses.size());
    for (std::size_t step = 0; step < alone.losses.size(); ++step) {
      EXPECT_NEAR(together.losses[step], alone.losses[step], kTolerance * alone.losses[step])
          << ranks << " ranks, step " << step;
    }
  }
}

TEST(W2, HasTheBitsOfOneRankWithTheSameMicroBatches) {
  Settings settings{.problem = kW2, .steps = kSteps, .micro_batches = 4};
  const Outcome alone = train(Communicator(), settings);
  for (const int ranks : {2, 4}) {
    for (const bool sharded : {false, true}) {
      settings.sharded = sharded;
      const Outcome together = train_on(ranks, settings);
      EXPECT_EQ(together.losses, alone.losses) << ranks << " ranks, sharded " << sharded;
      EXPECT_TRUE(same_bits(together.weights, alone.weights)) << ranks << ", " << sharded;
    }
  }
}

}  // namespace
}  // namespace aclgrad::testing
