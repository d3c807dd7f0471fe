// SPDX-License-Identifier: Apache-2.0
// An optimizer whose state is divided among the ranks.
#include <gmock/gmock.h>

#include "tests/distributed/training.h"

namespace aclgrad::testing {
namespace {

TEST(ShardedUpdate, HasTheBitsOfTheWholeOne) {
  const Outcome alone = train(Communicator(), {.micro_batches = 8});
  for (const int ranks : {2, 4}) {
    const Outcome sharded = train_on(ranks, {.micro_batches = 8, .sharded = true});
    EXPECT_EQ(sharded.losses, alone.losses) << ranks;
    EXPECT_TRUE(same_bits(sharded.weights, alone.weights)) << ranks;
    const std::int64_t moments = (alone.optimizer_elements - 1) / ranks;
    EXPECT_GE(sharded.optimizer_elements, moments);
    EXPECT_LE(sharded.optimizer_elements, moments + 4) << "but for what fills up the last share";
  }
  const Outcome small = train_on(
      4,
      {.micro_batches = 8, .parallel = {.bucket_bytes = 500, .overlap = false}, .sharded = true});
  EXPECT_TRUE(same_bits(small.weights, alone.weights));
}

// What two ranks have gathered, four ranks can go on from.
TEST(ShardedUpdate, CheckpointsAreWhole) {
  const Tensor initial = init::normal({7, 3}, 1);
  const Tensor slopes = init::normal({7, 3}, 2);
  const auto train_from = [&](int ranks, int steps, const NamedTensors* from) {
    NamedTensors whole;
    run_ranks(ranks, [&](const Communicator& communicator) {
      Graph graph;
      const Value w = graph.parameter("w", initial);
      const Value loss = mean(mul(mul(w, w), graph.constant(slopes)));
      AdamW optimizer;
      ShardedUpdate sharded(communicator);
      const Update update = sharded.step(graph, backward(loss, {w}), optimizer);
      Session session(graph, {update});
      std::vector<Variable> state = sharded.shards();
      for (const Variable& variable : optimizer.state()) state.push_back(variable);
      state.push_back(*w.variable());
      if (from != nullptr) restore(state, {.tensors = sharded.share_out(*from)});
      for (int step = 0; step < steps; ++step) session.run();
      const NamedTensors gathered = sharded.gather(state);
      if (communicator.is_first()) whole = gathered;
    });
    return whole;
  };
  const NamedTensors halfway = train_from(2, 3, nullptr);
  ASSERT_EQ(halfway.size(), 5u);
  EXPECT_EQ(halfway.front().first, "shard0");
  EXPECT_EQ(halfway.front().second.shape(), Shape{21});
  const NamedTensors uninterrupted = train_from(2, 6, nullptr);
  EXPECT_TRUE(same_bits(train_from(2, 3, &halfway), uninterrupted));
  EXPECT_TRUE(same_bits(train_from(4, 3, &halfway), uninterrupted));
  NamedTensors wrong = halfway;
  wrong.front().second = Tensor::zeros({20});
  EXPECT_THROW(train_from(2, 1, &wrong), ShapeError);
}

TEST(ShardedUpdate, RefusesWhatMakesNoSense) {
  const Communicator alone;
  EXPECT_THROW(ShardedUpdate{alone}, ValueError);
  EXPECT_THROW(
      run_ranks(2,
                [](const Communicator& communicator) {
                  Graph graph;
                  const Value x = graph.input("x", {2});
                  AdamW optimizer;
                  ShardedUpdate(communicator).step(graph, backward(mean(x), {x}), optimizer);
                }),
      ValueError);
}

}  // namespace
}  // namespace aclgrad::testing
