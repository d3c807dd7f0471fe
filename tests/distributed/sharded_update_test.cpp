// SPDX-License-Identifier: Apache-2.0
// An optimizer whose state is divided among the ranks.
#include <gmock/gmock.h>

#include "tests/distributed/training.h"

namespace aclgrad::testing {
namespace {

using ::testing::ThrowsMessage;

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

// What a rank takes of tensors that are not as gather() gives them.
TEST(ShardedUpdate, NamesWhatDoesNotFit) {
  const auto take = [](const NamedTensors& tensors) {
    run_ranks(2, [&](const Communicator& communicator) {
      Graph graph;
      const Value w = graph.parameter("w", Tensor::zeros({7, 3}));
      const Value ww = graph.parameter("w.w", Tensor::zeros({2}));
      AdamW optimizer;
      ShardedUpdate sharded(communicator);
      const Value loss = mean(mul(w, w)) + mean(mul(ww, ww));
      static_cast<void>(sharded.step(graph, backward(loss, {w, ww}), optimizer));
      EXPECT_EQ(sharded.shards().size(), 1u);
      const NamedTensors own = sharded.shard(tensors);
      EXPECT_EQ(own.back().first, "@shard0@second_moment");
      EXPECT_EQ(own.back().second.shape(), Shape{12}) << "half of 23 numbers";
    });
  };
  NamedTensors tensors = {{"steps", Tensor::zeros({1})},
                          {"w@second_moment", Tensor::zeros({7, 3})},
                          {"w.w@second_moment", Tensor::zeros({2})}};
  take(tensors);
  tensors.back().second = Tensor::zeros({3});
  EXPECT_THAT([&] { take(tensors); },
              ThrowsMessage<ShapeError>("`w.w@second_moment` has the shape [3], not that of the "
                                        "parameter, [2]"));
  tensors.pop_back();
  EXPECT_THAT([&] { take(tensors); }, ThrowsMessage<ValueError>("there is no `w.w@second_moment`"));
}

// An optimizer of one's own that counts the steps of each parameter, which are not shared out.
class Counting : public Optimizer {
 public:
  Counting() : Optimizer(Kind{.name = "Counting"}, SgdOptions{}, {}) {}

 private:
  std::vector<Value> update(const Step& step) override {
    slot(step, "step");
    return {move(step, step.gradient)};
  }
};

TEST(ShardedUpdate, GathersOnlyWhatIsAsLargeAsAShare) {
  EXPECT_THAT(
      [] {
        run_ranks(2, [](const Communicator& communicator) {
          Graph graph;
          const Value w = graph.parameter("w", Tensor::zeros({7, 3}));
          Counting optimizer;
          ShardedUpdate sharded(communicator);
          static_cast<void>(sharded.step(graph, backward(mean(mul(w, w)), {w}), optimizer));
          sharded.gather(optimizer.state());
        });
      },
      ThrowsMessage<ShapeError>(
          "ranks cannot share `@shard0@step`: it has the shape [1], not that of the share, [11]"));
}

TEST(ShardedUpdate, ClipsByNormsWhoseSquaresAreBeyondFloat32) {
  run_ranks(2, [](const Communicator& communicator) {
    Graph graph;
    const Variable weight("w", Tensor::zeros({4}));
    const Value w = graph.parameter(weight);
    Sgd optimizer({.learning_rate = 1, .clip_norm = 1});
    ShardedUpdate sharded(communicator);
    Update update = sharded.step(graph, backward(reduce_sum(mul(w, 1e30)), {w}), optimizer);
    Session session(graph, {std::move(update)});
    session.run({});
    for (std::int64_t i = 0; i < 4; ++i) EXPECT_NEAR(weight.value().get(i), -0.5, 1e-6);
  });
}

TEST(ShardedUpdate, RefusesWhatMakesNoSense) {
  const Communicator alone;
  EXPECT_THROW(ShardedUpdate{alone}, ValueError);
  EXPECT_THROW(run_ranks(2,
                         [](const Communicator& communicator) {
                           Graph graph;
                           const Value x = graph.input("x", {2});
                           AdamW optimizer;
                           ShardedUpdate sharded(communicator);
                           return sharded.step(graph, backward(mean(x), {x}), optimizer);
                         }),
               ValueError);
}

}  // namespace
}  // namespace aclgrad::testing
