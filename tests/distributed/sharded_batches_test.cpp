// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/distributed/sharded_batches.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>

#include "aclgrad/error.h"

namespace aclgrad::data {
namespace {

[[maybe_unused]] const int kDevicesAreSet = setenv("ACLGRAD_DEVICE_COUNT", "4", /*replace=*/1);

Dataset numbered(std::int64_t count) {
  Tensor features = Tensor::zeros({count, 2});
  Tensor labels = Tensor::zeros({count}, DType::int64);
  for (std::int64_t i = 0; i < count; ++i) {
    features.set(2 * i, static_cast<double>(i));
    labels.set(i, static_cast<double>(i));
  }
  return {std::move(features), std::move(labels)};
}

const BatchOptions kOptions{.batch_size = 8, .drop_last = true, .seed = 3};

// Labels by micro-batch, as ranks of some number get them in the second epoch.
using MicroBatches = std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int64_t>>;

MicroBatches read(int ranks, std::int64_t micro_batches) {
  MicroBatches all;
  std::mutex mutex;
  run_ranks(ranks, [&](const Communicator& communicator) {
    const ShardedBatches batches(numbered(43), kOptions, communicator, micro_batches);
    EXPECT_EQ(batches.parts(), micro_batches / ranks);
    const ShardedBatches::Epoch epoch = batches.epoch(1);
    for (std::int64_t batch = 0; batch < epoch.size(); ++batch) {
      std::int64_t micro =
          aclgrad::MicroBatches(micro_batches, communicator.rank(), ranks).begin(0, micro_batches);
      for (const Dataset& part : epoch[batch]) {
        EXPECT_EQ(part.size(), batches.part_size());
        EXPECT_EQ(part.features.get(0), part.labels.get(0)) << "features go with their labels";
        const auto labels = part.labels.data<std::int64_t>();
        const std::lock_guard lock(mutex);
        all[{batch, micro}] = {labels.begin(), labels.end()};
        ++micro;
      }
    }
  });
  return all;
}

TEST(ShardedBatches, GivesTheSameMicroBatchesToAnyNumberOfRanks) {
  const MicroBatches alone = read(1, 4);
  EXPECT_EQ(alone.size(), 5u * 4u);
  EXPECT_EQ(read(2, 4), alone);
  EXPECT_EQ(read(4, 4), alone);
}

TEST(ShardedBatches, TogetherTheyAreTheBatches) {
  const Batches whole(numbered(43), kOptions);
  const Batches::Epoch epoch = whole.epoch(1);
  for (const auto& [place, labels] : read(2, 2)) {
    const auto& [batch, micro] = place;
    const Tensor expected = epoch[batch].labels;
    const auto part = expected.data<std::int64_t>().subspan(static_cast<std::size_t>(4 * micro), 4);
    EXPECT_TRUE(std::ranges::equal(labels, part));
  }
  const Communicator alone;
  const ShardedBatches batches(numbered(43), kOptions, alone);
  EXPECT_EQ(batches.order().description(), whole.description());
  EXPECT_EQ(batches.parts(), 1);
  EXPECT_EQ(batches.after({0, 4}), (Position{1, 0}));
}

TEST(ShardedBatches, RefusesUnevenParts) {
  const Communicator alone;
  EXPECT_THROW(ShardedBatches(numbered(43), kOptions, alone, 3), ValueError);
  EXPECT_THROW(ShardedBatches(numbered(43), kOptions, alone, -1), ValueError);
  EXPECT_THROW(ShardedBatches(numbered(43), {.batch_size = 8}, alone), ValueError);
  EXPECT_NO_THROW(ShardedBatches(numbered(40), {.batch_size = 8}, alone, 4));
  EXPECT_THROW(
      run_ranks(2,
                [](const Communicator& ranks) { ShardedBatches(numbered(9), kOptions, ranks, 1); }),
      ValueError);
}

}  // namespace
}  // namespace aclgrad::data
