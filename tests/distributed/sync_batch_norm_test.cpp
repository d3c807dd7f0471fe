// SPDX-License-Identifier: Apache-2.0
// SyncBatchNorm on 2 and 4 ranks beside one rank that has the whole batch.
#include <gmock/gmock.h>

#include <cmath>
#include <memory>

#include "aclgrad/trainer.h"
#include "tests/distributed/training.h"
#include "tests/support/message_of.h"
#include "tests/support/run.h"

namespace aclgrad::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t kImages = 8, kChannels = 3;

Tensor batch(DType dtype) {
  Tensor x = init::normal({kImages, kChannels, 2, 2}, 4);
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    x.set(i, x.get(i) * (1 + static_cast<double>(i % 5)) + static_cast<double>(i / 40));
  }
  return x.to(dtype);
}

struct Result {
  std::vector<Tensor> images;  // of the output, then of the input's gradient
  Tensor weight, bias;         // gradients
  NamedTensors state;
};

// Some steps of a layer with a loss that tells all elements apart, on the images that this rank
// has; without weight decay, so that the optimizer changes what it is given a gradient for only.
Result run_layer(const Communicator& communicator, DType dtype, std::int64_t first,
                 std::int64_t count) {
  const SyncBatchNorm layer(communicator, "norm", kChannels, {.momentum = 0.3, .dtype = dtype});
  Graph graph(Mode::training);
  const Tensor all = batch(dtype), factors = init::normal(all.shape(), 9).to(dtype);
  const Value x = graph.input("x", {count, kChannels, 2, 2}, dtype);
  const Value y = layer(x);
  const Value loss =
      reduce_sum(mul(tanh(y), graph.constant(factors.slice(0, first, first + count))));
  std::vector<Value> wanted = layer.parameters(graph);
  wanted.push_back(x);
  const Gradients gradients = backward(loss, wanted);
  DataParallel parallel(communicator);
  // Sums over the ranks, as the loss is a sum over the images.
  const std::vector<Value> sums = {
      parallel.average(gradients[wanted[0]]) * static_cast<double>(communicator.size()),
      parallel.average(gradients[wanted[1]]) * static_cast<double>(communicator.size())};
  Session session(graph, {y, gradients[x], sums[0], sums[1]});
  Result result;
  for (int step = 0; step < 3; ++step) {
    const auto values = session.run({{x, all.slice(0, first, first + count)}});
    result.images = {values[y], values[gradients[x]]};
    result.weight = values[sums[0]];
    result.bias = values[sums[1]];
  }
  result.state = values_of(layer.state());
  return result;
}

double largest_difference(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.shape(), b.shape());
  double largest = 0;
  for (std::int64_t i = 0; i < a.numel(); ++i) {
    largest = std::max(largest, std::abs(a.get(i) - b.get(i)));
  }
  return largest;
}

// Equal parts, and parts of which the first rank has most and the last ones one image, or none.
void expect_whole(const std::vector<std::int64_t>& parts, DType dtype, double tolerance) {
  const Result alone = run_layer(Communicator(), dtype, 0, kImages);
  run_ranks(
      static_cast<int>(parts.size()),
      [&](const Communicator& communicator) {
        std::int64_t first = 0;
        for (int rank = 0; rank < communicator.rank(); ++rank) {
          first += parts[static_cast<std::size_t>(rank)];
        }
        const std::int64_t count = parts[static_cast<std::size_t>(communicator.rank())];
        const Result part = run_layer(communicator, dtype, first, count);
        for (std::size_t k = 0; k < part.images.size(); ++k) {
          EXPECT_LE(
              largest_difference(part.images[k], alone.images[k].slice(0, first, first + count)),
              tolerance)
              << k;
        }
        EXPECT_LE(largest_difference(part.weight, alone.weight), 20 * tolerance);
        EXPECT_LE(largest_difference(part.bias, alone.bias), 20 * tolerance);
        for (std::size_t i = 0; i < alone.state.size(); ++i) {
          EXPECT_EQ(part.state[i].first, alone.state[i].first);
          EXPECT_LE(largest_difference(part.state[i].second, alone.state[i].second), tolerance)
              << alone.state[i].first;
        }
      },
      {.timeout_seconds = 60});
}

TEST(SyncBatchNorm, IsTheBatchNormOfTheWholeBatch) {
  expect_whole({4, 4}, DType::float32, 2e-6);
  expect_whole({2, 2, 2, 2}, DType::float32, 2e-6);
  expect_whole({2, 2, 2, 2}, DType::float64, 1e-13);
}

TEST(SyncBatchNorm, TakesPartsOfAnySize) {
  expect_whole({5, 3}, DType::float32, 2e-6);
  expect_whole({6, 1, 1, 0}, DType::float32, 2e-6);
}

struct TrainedNetwork {
  std::vector<double> losses;
  NamedTensors tensors;
};
TrainedNetwork train_network(const Communicator& communicator, bool sharded) {
  // A bias would be taken away again: its gradients are rounding errors, which AdamW makes large.
  const Sequential model(Linear("a", 12, 10, {.seed = 1, .bias = false}),
                         SyncBatchNorm(communicator, "norm", 10), Selu{},
                         Linear("b", 10, 4, {.seed = 2}));
  AdamW optimizer({.learning_rate = 3e-2});
  const auto ranks = make_ranks(communicator, sharded);
  const auto loss = cross_entropy_of(model);
  Trainer trainer(model, loss, optimizer, {.ranks = ranks.get()});
  data::Dataset data{init::normal({32, 12}, 5), Tensor::zeros({32}, DType::int64)};
  for (std::int64_t i = 0; i < 32; ++i) {
    data.labels.set(i, data.features.get(12 * i) > data.features.get(12 * i + 7) ? 1 : 2);
  }
  TrainedNetwork trained;
  for (int step = 0; step < 10; ++step) trained.losses.push_back(trainer.step(data));
  trained.tensors = values_of(model.state());
  return trained;
}

TEST(SyncBatchNorm, TrainsAsOneRankDoes) {
  const TrainedNetwork alone = train_network(Communicator(), false);
  EXPECT_LT(alone.losses.back(), alone.losses.front() / 2) << "it learns";
  for (const int ranks : {2, 4}) {
    for (const bool sharded : {false, true}) {
      run_ranks(ranks,
                [&](const Communicator& communicator) {
                  const TrainedNetwork together = train_network(communicator, sharded);
                  for (std::size_t i = 0; i < alone.losses.size(); ++i) {
                    EXPECT_NEAR(together.losses[i], alone.losses[i], 1e-5) << ranks;
                  }
                  for (std::size_t i = 0; i < alone.tensors.size(); ++i) {
                    EXPECT_LE(
                        largest_difference(together.tensors[i].second, alone.tensors[i].second),
                        1e-4)
                        << alone.tensors[i].first;
                  }
                },
                {.timeout_seconds = 60});
    }
  }
}

// The comparison can fail: BatchNorm2d on the ranks normalizes by their own parts.
TEST(SyncBatchNorm, IsNotTheBatchNormOfAPart) {
  const Result alone = run_layer(Communicator(), DType::float32, 0, kImages);
  const Result part = run_layer(Communicator(), DType::float32, 0, kImages / 2);
  EXPECT_GT(largest_difference(part.images[0], alone.images[0].slice(0, 0, kImages / 2)), 1e-2);
}

TEST(SyncBatchNorm, ExchangesNothingInEvaluationAndWhenFrozen) {
  run_ranks(2,
            [](const Communicator& communicator) {
              const SyncBatchNorm layer(communicator, "norm", kChannels);
              const auto names = [&](Mode mode) {
                Graph graph(mode);
                layer(graph.input("x", {2, kChannels}));
                std::vector<std::string> all;
                for (std::size_t id = 0; id < graph.size(); ++id) {
                  const Node& node = graph.node(static_cast<NodeId>(id));
                  if (node.op->as_call() != nullptr) all.emplace_back(node.op->name());
                }
                return all;
              };
              EXPECT_THAT(names(Mode::evaluation), ElementsAre("batch_norm"));
              EXPECT_THAT(names(Mode::training),
                          ElementsAre("batch_norm_stats", "cat", "all_gather",
                                      "batch_norm_gather_stats", "batch_norm_elemt"));
              layer.freeze();
              EXPECT_THAT(names(Mode::training), ElementsAre("batch_norm"));
            },
            {.timeout_seconds = 20});
}

TEST(SyncBatchNorm, RefusesWhatBatchNormRefuses) {
  run_ranks(2,
            [](const Communicator& communicator) {
              EXPECT_THAT(message_of<ShapeError>([&] { SyncBatchNorm(communicator, "a", 0); }),
                          HasSubstr("SyncBatchNorm"));
              EXPECT_THROW(SyncBatchNorm(communicator, "b", 3, {.momentum = 2}), ValueError);
              const SyncBatchNorm layer(communicator, "norm", kChannels);
              EXPECT_THAT(layer.summary(), HasSubstr("SyncBatchNorm 3"));
              Graph graph(Mode::training);
              EXPECT_THAT(message_of<ShapeError>([&] {
                            layer(graph.input("x", {2, 4}));
                          }),
                          HasSubstr("the channels of [2, 4]"));
              EXPECT_THAT(message_of<ShapeError>([&] { layer(graph.input("y", {3})); }),
                          HasSubstr("rank 2 to 8"));
              EXPECT_THAT(message_of<DTypeError>([&] {
                            layer(graph.input("z", {2, kChannels}, DType::float64));
                          }),
                          HasSubstr("cast()"));
            },
            {.timeout_seconds = 20});
}

}  // namespace
}  // namespace aclgrad::testing
