// SPDX-License-Identifier: Apache-2.0
// Training on 1, 2 and 4 ranks of one process, each with a device of its own.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "aclgrad/runtime.h"
#include "tests/distributed/training.h"

namespace aclgrad::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(DataParallel, RepeatsItsBits) {
  const Outcome once = train_on(4, {});
  const Outcome again = train_on(4, {});
  EXPECT_EQ(once.losses, again.losses);
  EXPECT_TRUE(same_bits(once.weights, again.weights));
}

// With as many micro-batches the number of ranks does not show at all, nor does anything else that
// only says how they are exchanged or run.
TEST(DataParallel, HasTheBitsOfOneRankWithItsMicroBatches) {
  const Outcome alone = train(Communicator(), {.micro_batches = 8});
  for (const int ranks : {2, 4}) {
    const Outcome together = train_on(ranks, {.micro_batches = 8});
    EXPECT_EQ(together.losses, alone.losses) << ranks;
    EXPECT_TRUE(same_bits(together.weights, alone.weights)) << ranks;
  }
  for (const DataParallelOptions& options :
       {DataParallelOptions{.bucket_bytes = 1}, DataParallelOptions{.bucket_bytes = 2000},
        DataParallelOptions{.overlap = false}}) {
    const Outcome other = train_on(2, {.micro_batches = 8, .parallel = options});
    EXPECT_TRUE(same_bits(other.weights, alone.weights));
  }
  for (const SessionOptions& options :
       {SessionOptions{.eager = true}, SessionOptions{.replay = false}}) {
    const Outcome other = train_on(2, {.micro_batches = 8, .session = options});
    EXPECT_TRUE(same_bits(other.weights, alone.weights));
  }
}

// The other cut of the batch has other rounding: the comparison above can fail.
TEST(DataParallel, ShowsTheNumberOfMicroBatchesInItsBits) {
  EXPECT_FALSE(same_bits(train(Communicator(), {.micro_batches = 8}).weights,
                         train(Communicator(), {.micro_batches = 1}).weights));
}

// What backward makes first is exchanged first: the last layer's gradients, of 4 numbers, before
// those of the first layer, of 6. The loss is part of the exchange, too.
TEST(DataParallel, ExchangesInTheOrderOfBackward) {
  for (const std::int64_t parts : {1, 2, 3}) {
    run_ranks(2, [&](const Communicator& communicator) {
      Graph graph;
      const Value first = graph.parameter("first", init::normal({3, 2}, 1));
      const Value last = graph.parameter("last", init::normal({2, 2}, 2));
      const Value x = graph.constant(init::normal({5, 3}, 3));
      DataParallel parallel(communicator, {.bucket_bytes = 1});
      parallel.average(parts, [&](std::int64_t) {
        const Value loss = mean(matmul(selu(matmul(x, first)), last));
        return LossAndGradients{loss, backward(loss, {first, last})};
      });
      std::vector<std::int64_t> sizes;
      for (std::size_t id = 0; id < graph.size(); ++id) {
        const Node& node = graph.node(static_cast<NodeId>(id));
        if (node.op->name() != "all_reduce") continue;
        const std::int64_t size = graph.value(node.outputs[0]).shape().numel();
        if (size > 1) sizes.push_back(size);
      }
      EXPECT_EQ(sizes, (std::vector<std::int64_t>{4, 6})) << parts;
    });
  }
}

// What is made from a communicator needs its membership, not the object.
TEST(DataParallel, OutlivesTheCommunicatorItWasGiven) {
  const HcclRootInfo root = Communicator::make_root();
  std::vector<std::thread> ranks;
  std::atomic<int> right = 0;
  for (int rank = 0; rank < 2; ++rank) {
    ranks.emplace_back([&, rank] {
      use_device(rank);
      Communicator gone = Communicator::join(root, rank, 2, {.timeout_seconds = 20});
      DataParallel parallel(gone);
      ShardedUpdate sharded(gone);
      gone = Communicator();
      Graph graph;
      const Value w = graph.parameter("w", Tensor::full({4}, 1));
      const Value x = graph.input("x", {4});
      const Value loss = mean(w * x);
      Sgd optimizer({.learning_rate = 4});
      const Update update = sharded.step(graph, backward(loss, {w}), optimizer);
      const Value average = parallel.average(loss);
      Session session(graph, {average, update});
      const Tensor own = Tensor::full({4}, rank + 1);
      const bool same_loss = session.run({{x, own}})[average].item() == 1.5;
      if (same_loss && w.variable()->value().get(3) == 1 - 4 * 1.5 / 4) ++right;
    });
  }
  for (std::thread& rank : ranks) rank.join();
  EXPECT_EQ(right, 2);
  EXPECT_EQ(DataParallel(Communicator()).communicator().size(), 1) << "a temporary does, too";
}

// What each rank records, given its number.
void expect_refused(const std::function<void(Graph&, const Communicator&)>& record,
                    const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    EXPECT_THAT(
        [&] {
          run_ranks(2,
                    [&](const Communicator& communicator) {
                      Graph graph;
                      record(graph, communicator);
                    },
                    {.timeout_seconds = 20});
        },
        ThrowsMessage<ValueError>(
            AllOf(HasSubstr("the ranks do not train the same: rank 1 has "), HasSubstr(word))));
  }
}

TEST(DataParallel, NamesParametersThatDiffer) {
  expect_refused(
      [](Graph& graph, const Communicator& communicator) {
        const Value w = graph.parameter("w", Tensor::zeros({3 + communicator.rank()}));
        DataParallel(communicator).average(backward(mean(w), {w}));
      },
      {"rank 1 has gradient of `w`: float32 [4], rank 0 has gradient of `w`: float32 [3]"});
}

TEST(DataParallel, NamesNodesThatDiffer) {
  expect_refused(
      [](Graph& graph, const Communicator& communicator) {
        const Value w = graph.parameter("w", Tensor::zeros({3}));
        const Value y = communicator.rank() == 0 ? selu(w) : elu(w);
        DataParallel(communicator).average(backward(mean(y), {w}));
      },
      {"`elu`(", "rank 0 has node 1 `selu`("});
}

TEST(DataParallel, NamesOptionsThatDiffer) {
  expect_refused(
      [](Graph& graph, const Communicator& communicator) {
        const Value w = graph.parameter("w", Tensor::zeros({3}));
        const std::size_t bytes = communicator.rank() == 0 ? 64 : 128;
        DataParallel(communicator, {.bucket_bytes = bytes}).average(backward(mean(w), {w}));
      },
      {"buckets of 128 bytes", "buckets of 64 bytes"});
}

TEST(DataParallel, RefusesWhatMakesNoSense) {
  EXPECT_THROW(DataParallel(Communicator(), {.bucket_bytes = 0}), ValueError);
  Graph graph;
  const Communicator alone;
  DataParallel parallel(alone);
  EXPECT_THROW(parallel.average(0, [](std::int64_t) { return LossAndGradients{}; }), ValueError);
}

}  // namespace
}  // namespace aclgrad::testing
